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
	{"Washington said no; London agreed.", "", "Washington; London"},
	{"Manchester United beat Chelsea.", "", ""},
	{"中国人民银行行长周小川", "", ""},
	{"Birmingham, Alabama: a city of the United States", "", "Birmingham|US; Alabama; United States"},
	{"Birmingham and London, England", "", "Birmingham|GB; London; England"},
	{"He was at the University of Kabul; WWW.Berlin.de/ and www.Berlin.de are sites.", "", ""},
	{"The University of Washington; the Sierra Nevada; New England; Bank of China.", "", ""},
	{"He talked to Jordan, Egypt and Syria about Chad.", "", "Jordan; Egypt; Syria; Chad"},
	{"Jordan scored in Egypt.", "", "Egypt"},
	{"Springfield and Milwaukee: the Midwest of the United States", "", "Springfield; Milwaukee; United States"},
	{"Augsburg baut, Dillingen auch", "www.news.example.de", "Augsburg"},
	{"Augsburg baut, Dillingen auch", "www.news.example", ""},
	{"公安部门通报，四川公安干警到达成都", "", "Sichuan; Chengdu"},
	{"白银价格上涨。甘肃白银举行会议。", "", "Baiyin; Gansu"},
	{"白银价格上涨。", "", ""},
	{"惠特尼·休斯敦的歌；休斯敦的火箭队", "", ""},
	{"北京大学、北京晚报、南京路、上海队", "", ""},
	{"福州和厦门；抚州和南昌", "", "Fuzhou; Xiamen; Fuzhou; Nanchang"},
	{"多伦多猛龙队负于密尔沃基雄鹿队，達爾文在西印度群島。", "", ""},
	{"Москва и Пекин", "", "Moscow; Beijing"},
	{"ミラノと東京で、イタリア人が", "", "Tokyo; Italy"},
	{"São Paulo, SAO PAULO, são paulo", "", "São Paulo"},
	{"NEW YORK - U.S. stocks", "", "New York; United States"},
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
