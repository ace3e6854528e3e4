// Package classify learns to tell the classes of texts from examples, and says how well it does so.
// All of it is pure: no files, no clock, no chance. Equal examples in the same order give the same
// classifier.
//
// # Words
//
//	example    a text whose class is known
//	feature    a word of a text, or of a URL, that a classifier looks at; see package vector
//	weight     of a feature and a class: how much the feature speaks for the class
//	margin     by how much the score of the best class of a text exceeds that of the second best
//	set        examples that are near-copies of each other; see package dedup
//	fold       a part of the examples, held out while a classifier learns from the others
//	sure       how probably the class of a text is right, from 0 to 1
//
// # Methods
//
// SVM is a linear support vector machine for each class, against the rest: squared hinge loss, L2
// regularization, C = 1, learned by dual coordinate descent with shrinking (C. Hsieh, K. Chang, C.
// Lin, S. Keerthi and S. Sundararajan, "A dual coordinate descent method for large-scale linear
// SVM", 2008). It is what LIBLINEAR and scikit-learn's LinearSVC compute.
//
// Bayes is complement naive Bayes (J. Rennie, L. Shih, J. Teevan and D. Karger, "Tackling the poor
// assumptions of naive Bayes text classifiers", 2003). A class is compared with all other classes
// together, so that a class with few examples does not lose. On the sections of five sites, it was
// better than multinomial naive Bayes.
//
// # How well
//
// Examples are divided into folds, set by set: near-copies are never in two folds, because a
// classifier that has seen a copy of a text proves nothing. Each fold is classified by a classifier
// that has learned from the other folds. Precision, recall and F1 are counted from that. The
// margins of these texts also show how probably a class with a given margin is right (J. Platt,
// "Probabilistic outputs for support vector machines", 1999).
package classify
