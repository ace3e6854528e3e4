// Package block is the folder of the packages that divide pages into blocks: the
// regions that a reader sees, such as menus, articles and footers. It has no code
// but tests of several of these packages together. Each package imports only
// packages above it in this list:
//
//	flow    how much text, links and images each node of a page shows
//	label   the purposes of blocks, and the names of elements that declare them
//	divide  divides a page into a tree of blocks; layouts
//	about   labels and topics of blocks; main text and type of a page; style of a site
//	facts   what is computed from a page once and stored with it
//	life    follows the blocks of one URL through its versions
//
// All functions are pure; storing blocks is the task of package store.
package block
