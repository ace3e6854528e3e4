package segment

import (
	"fmt"
	"slices"
	"testing"

	"infomall/store/urlkey"
)

// TestHosts decodes the hosts of several chunks into one Tally, which remembers hosts from chunk to
// chunk. They must be those of the keys, also after the Tally has met more hosts than it remembers.
func TestHosts(t *testing.T) {
	var many []string
	for i := range hostsMax + 100 {
		many = append(many, fmt.Sprintf("http://h%d.example/", i))
	}
	var tally Tally
	for _, urls := range [][]string{
		{"http://a.example/1", "http://a.example/2", "https://a.example/1", "http://b.example/1", "http://b.example:8080/1"},
		{"http://b.example:8080/2", "ftp://u:p@b.example/1", "http://a.example/)", "dom:http://a.example/1", "dns:a.example", "mailto:(a),b)c", "http://[::1]/1"},
		{"http://b.example/1", "http://c.a.example/1", "dns:a.example", "http://[::1]:80/1"},
		many, many,
	} {
		var keys []string
		for _, u := range urls {
			keys = append(keys, urlkey.Key(u))
		}
		slices.Sort(keys)
		var entries []Stored
		var want []HostRun
		for _, k := range keys {
			entries = append(entries, Stored{Entry: Entry{Key: k}})
			host := urlkey.Host(urlkey.URL(k))
			if n := len(want); n == 0 || want[n-1].Host != host {
				want = append(want, HostRun{Host: host})
			}
			want[len(want)-1].N++
		}
		err := decodeTally(&tally, appendChunk(nil, 0, entries), WantHosts)
		if err != nil || !slices.Equal(tally.Hosts, want) {
			t.Errorf("%d URLs: got %v, want %v, error %v", len(urls), tally.Hosts[:min(20, len(tally.Hosts))], want[:min(20, len(want))], err)
		}
	}
}
