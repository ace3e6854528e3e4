package pagetest

import (
	"fmt"
	"strings"
)

// paperPage returns the page of the example in the publication of the classic
// method (see package divide). news are the texts in the third cell. The
// publication shows the page in figures only, so this markup is made to give
// the blocks of the figures: T1, T2, B1 and B2 are paragraphs; C is neither
// Schema nor Format and follows a block; its table is one row of three cells.
// Rule 8 finds the first cell, because it has 24 DIVs. Rule 10 finds the other
// two cells, because a rule (HR) in each keeps rule 9 from applying.
func paperPage(news ...string) string {
	var w strings.Builder
	w.WriteString("<html><head><title>Example</title></head><body>\n")
	w.WriteString("<p><b>Example University</b> <a href=\"/\">Home page of the university</a></p>\n")
	w.WriteString("<p><a href=\"/a\">About us</a> <a href=\"/b\">Departments</a> <a href=\"/c\">Research</a></p>\n")
	w.WriteString("<center><img src=\"sky.jpg\">\n<table><tr>\n<td width=150>")
	for i := range 24 {
		fmt.Fprintf(&w, "<div><a href=\"/d%d\">Institute %d</a></div>", i, i)
	}
	w.WriteString("</td>\n<td><b>News of the university</b><hr><table>\n")
	for i, n := range news {
		fmt.Fprintf(&w, "<tr><td><b>News %d</b><br>%s <a href=\"/n%d\">more</a></td></tr>\n", i+1, n, i+1)
	}
	w.WriteString("</table></td>\n<td><b>Notices of all kinds</b><hr><table>\n")
	w.WriteString("<tr><td><b>Library</b> The library is open <a href=\"/l\">on all days</a> but holidays</td></tr>\n")
	w.WriteString("<tr><td><b>Canteen</b> The canteen serves <a href=\"/k\">dumplings</a> this week</td></tr>\n")
	w.WriteString("</table></td>\n</tr></table></center>\n")
	w.WriteString("<p><a href=\"/x\">Contact the webmaster</a> <a href=\"/y\">Site map of all pages</a></p>\n")
	w.WriteString("<p><b>Copyright</b> by the university, <a href=\"/z\">all rights reserved</a></p>\n")
	w.WriteString("</body></html>\n")
	return w.String()
}

// Paper returns the page of the published example, and the same page five days
// later with other news.
func Paper() (before, after string) {
	before = paperPage("The term begins with a speech of the president in the great hall.",
		"A team of students has won the contest in programming again.",
		"Professor Wang gives a lecture on the archives of the web today.",
		"The new laboratory building was opened by the mayor of the city.",
		"Forty years of the department are celebrated in the old garden.",
		"The swimming pool stays closed until the end of the next month.")
	after = paperPage("The term begins with a speech of the president in the great hall.",
		"The choir of the university sings in the concert hall on Sunday.",
		"Two hundred guests have come to the conference on page blocks.",
		"An exhibition shows calligraphy from three different centuries.",
		"The football team lost its last match in spite of a great effort.",
		"Applications for scholarships are due at the end of this week.")
	return before, after
}
