// Package train has the statements TRAIN, which makes a classifier of texts from the rows of
// a query, and DROP CLASSIFIER, which removes one. Package classify has the methods; this
// package reads the examples from the archive and stores the result.
//
// A classifier is stored as a result of the kind task.ResultClassifier. The functions
// classify and classify_score read it, and the relation classifiers shows its classes.
package train
