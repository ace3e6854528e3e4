package places

import (
	"strings"
	"testing"
)

// findCases are texts, hosts, and the places that Find must return.
var findCases = []struct{ text, host, want string }{
	{"The Olympic Games open in Beijing, the capital of China.", "", "Beijing; China"},
	{"北京奥运会于2008年8月8日在北京开幕，中国代表团最后入场。", "", "Beijing; China"},
	{"北京奧運會在中國舉行，俄羅斯和喬治亞發生衝突。", "", "Beijing; China; Russia; Georgia"},
	{"四川汶川发生地震，成都、绵阳有震感。", "", "Sichuan; Wenchuan County; Chengdu; Mianyang"},
	{"汶川", "", ""},
	{"Das Hochwasser in Passau und Dresden, Deutschlands Osten und Österreich", "", "Dresden; Germany; Austria"},
	{"reading in Reading, a nice mobile", "", "Reading"},
	{"Reading is nice. Nice to see you.", "", ""},
	{"He wrote in the Washington Post.", "", ""},
	{"George Washington met Jack London.", "", ""},
	{"Washington said no; London agreed.", "", "Washington, D.C.; London"},
	{"Manchester United beat Chelsea.", "", ""},
	{"中国人民银行行长周小川", "", ""},
	{"Birmingham, Alabama: a city of the United States", "", "Birmingham|US; Alabama; United States"},
	{"Birmingham and London, England", "", "Birmingham|GB; London; England"},
	{"www.berlin.de, info@paris.com", "", ""},
	{"Die US-Armee; contact us; CONTACT US", "", "United States"},
}

// TestFind shows which places some texts name.
func TestFind(t *testing.T) {
	for _, c := range findCases {
		var got []string
		for _, p := range Shipped().Find(c.text, c.host) {
			name := p.Name
			if name == "Birmingham" {
				name += "|" + p.Country
			}
			got = append(got, name)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
}
