package document

import "testing"

// TestSetTitle shows which of the candidates becomes the title.
func TestSetTitle(t *testing.T) {
	for _, c := range []struct{ stated, lead, heading, paragraph, want string }{
		// What the document states is taken if it is a title.
		{"Annual Report 2008", "ANNUAL REPORT", "", "", "Annual Report 2008"},
		{"  Annual \n Report ", "", "", "", "Annual Report"},
		{"北京大学网络实验室年度报告", "年度报告", "", "", "北京大学网络实验室年度报告"},
		{"How to use PowerPoint", "Slides for all", "", "", "How to use PowerPoint"},
		{"The document of 1215", "Magna Carta", "", "", "The document of 1215"},
		{"RFC2616", "", "Hypertext Transfer Protocol", "", "Hypertext Transfer Protocol"},
		{"Windows95", "", "", "", "Windows95"},
		// What a program made up is not.
		{"Microsoft Word - x.doc", "River levels", "", "", "River levels"},
		{"Microsoft Word - Annual report 2008.doc", "", "", "", "Annual report 2008"},
		{"Microsoft Word - Annual_report_2008.doc", "", "", "", "Annual report 2008"},
		{"Microsoft Word - Dokument1", "", "", "", ""},
		{"Microsoft PowerPoint - talk.ppt [Read-Only]", "A talk on rivers", "", "", "A talk on rivers"},
		{"untitled", "", "Minutes of the board", "", "Minutes of the board"},
		{"Untitled-1", "", "", "", ""},
		{"Untitled Document (2)", "", "", "", ""},
		{"Ohne Titel", "", "", "Brief an den Bürgermeister", "Brief an den Bürgermeister"},
		{"Sans titre", "", "", "", ""},
		{"Без названия", "Отчёт о воде", "", "", "Отчёт о воде"},
		{"无标题", "水位报告", "", "", "水位报告"},
		{"無題", "", "", "", ""},
		{"PowerPoint Presentation", "", "Rivers of the north", "", "Rivers of the north"},
		{"PowerPoint-Präsentation", "", "", "", ""},
		{"Présentation PowerPoint", "Les rivières", "", "", "Les rivières"},
		{"PowerPoint 演示文稿", "", "河流", "", "河流"},
		{"Slide 1", "", "Click to add title", "Rivers in spring", "Rivers in spring"},
		{"Folie 12", "Titel durch Klicken hinzufügen", "", "", ""},
		{"Diapositiva 1", "", "", "", ""},
		{"[Type the document title]", "", "[Document title]", "", ""},
		{"Title", "单击此处添加标题", "", "", ""},
		{"report_final_v3.docx", "Final report", "", "", "Final report"},
		{"final report.docx", "", "", "", "final report"},
		{"C:\\My Documents\\a.doc", "", "", "", ""},
		{"http://www.rivers.example/a", "", "Rivers", "", "Rivers"},
		{"rpt_2008_v3", "", "", "", "rpt_2008_v3"},
		{"rpt_2008_v3", "Report of 2008", "", "", "Report of 2008"},
		{"Untitled - Notepad", "", "", "", ""},
		{"notes.txt - Notepad", "", "Notes", "", "Notes"},
		{"2008", "", "", "", ""},
		{"--", "", "", "", ""},
		// Without a stated title.
		{"", "Table of Contents", "River levels", "", "River levels"},
		{"", "", "", "To whom it may concern", "To whom it may concern"},
		{"", "", "", "int main(int argc) { return 0; }", ""},
		{"", "", "", "This letter is to say that the water at the weir was so high in the night that the gate had to be opened by two men and a horse.", ""},
		{"", "12 / 2008", "", "", ""},
		{"", "", "", "12 Main Street\nAnytown", "12 Main Street"},
		{"", "", "", "关于二〇〇八年暑假安排的通知", "关于二〇〇八年暑假安排的通知"},
		{"Microsoft Word - 年度报告.doc", "", "", "", "年度报告"},
		{"", "", "", "Entrance", ""},
		{"", "", "", "", ""},
	} {
		d := New()
		d.Title = c.stated
		s := Section{Kind: Page}
		if c.heading != "" {
			s.Parts = append(s.Parts, Part{Heading, c.heading})
		}
		if c.paragraph != "" {
			s.Parts = append(s.Parts, Part{Paragraph, c.paragraph})
		}
		d.Sections = []Section{s}
		if d.SetTitle(c.lead); d.Title != c.want {
			t.Errorf("stated %q, lead %q, heading %q, paragraph %q: got %q, want %q", c.stated, c.lead, c.heading, c.paragraph, d.Title, c.want)
		}
	}
}

// TestSetTitleOfSong shows that a document without text keeps a title that is a number.
func TestSetTitleOfSong(t *testing.T) {
	for stated, want := range map[string]string{"1999": "1999", "untitled": "", "track01.mp3": "", "C:\\a.mp3": ""} {
		d := New()
		d.Title = stated
		if d.SetTitle(""); d.Title != want {
			t.Errorf("%q: got %q, want %q", stated, d.Title, want)
		}
	}
}
