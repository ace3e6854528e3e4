// Package vector turns texts into vectors of weighted words, as classifiers and clusters
// need them. All of it is pure: no files, no clock.
//
// # Words
//
//	word      a term of package term, or another feature, such as a word of a URL
//	number    the number of a word in a dictionary, from 0
//	vector    the words of one text by number, each with a value; other words have 0
//	count     how often a text has a word
//	weight    the value of a word after weighing: tf × idf
//
// # Weights
//
// The weight of a word in a text is (1 + ln count) × idf, where idf is
// ln((1 + texts) / (1 + texts with the word)) + 1. Then each vector is divided by its
// length, so that long texts do not weigh more than short ones. This is the tf-idf of
// scikit-learn with sublinear_tf.
package vector
