package charset

import "testing"

func TestLatinLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"The museum was opened in the spring of 1923, and its first visitors came by train from the towns along the river.":                                           "en",
		"Das Museum wurde im Frühling 1923 eröffnet, und die ersten Besucher kamen mit dem Zug aus den Städten am Fluss.":                                             "de",
		"Le musée a ouvert ses portes au printemps 1923, et les premiers visiteurs sont venus en train des villes situées près du fleuve.":                            "fr",
		"El museo abrió sus puertas en la primavera de 1923, y los primeros visitantes llegaron en tren desde los pueblos cercanos al río, que entonces eran muchos.": "es",
		"Muzeum zostało otwarte wiosną 1923 roku, a pierwsi goście przyjechali pociągiem z miast położonych nad rzeką.":                                               "pl",
		"Museo avattiin keväällä 1923, ja ensimmäiset vierailijat tulivat junalla joen varrella olevista kaupungeista.":                                               "fi",
		"Müze 1923 yılının baharında açıldı ve ilk ziyaretçiler nehir boyundaki kasabalardan trenle geldiler.":                                                        "tr",
		"Museum ini dibuka pada musim semi tahun 1923, dan pengunjung pertama datang dengan kereta api dari kota-kota di tepi sungai.":                                "id",

		"": "", "The museum": "", "The old museum in town": "", "1923 4711 88": "",
		"Muze di bihara 1923 de hat vekirin, û mêvanên pêşîn bi trênê ji bajarên li kêleka çem hatin. Piraniya wan berê qet muze nedîtibûn û gelek kes tevahiya rojê man.": "", // Kurdish has no model, and is near Turkish
		"for (i = 0; i < argc; i++) { fprintf(stdout, argv[i]); } exit(EXIT_SUCCESS); xmlHttpReq qvjx zzkq wxyz jjqk":                                                      "",
		"这座博物馆于一九二三年春天开放，第一批游客乘火车从河边的城镇来。The museum was opened in the spring of 1923.":                                                                                     "",
	} {
		for range 5 { // the models are a map
			if got := LatinLanguage(text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
				break
			}
		}
	}
}
