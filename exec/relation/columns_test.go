package relation

import (
	"testing"

	"infomall/store/record"
)

// TestEveryColumnIsComputed shows that each column of each relation has code
// that computes it.
func TestEveryColumnIsComputed(t *testing.T) {
	versions := versionFills(Choice{AsOf: record.NoTime})
	has := map[string]func(name string) bool{
		"captures":   func(n string) bool { return captureFills[n] != nil },
		"versions":   func(n string) bool { return versions[n] != nil },
		"pages":      func(n string) bool { return pageFills[n] != nil },
		"hosts":      func(n string) bool { return hostFills[n] != nil },
		"pools":      func(n string) bool { return poolFills[n] != nil },
		"tombstones": func(n string) bool { return tombstoneFills[n] != nil },
		"files":      func(n string) bool { return fileFills[n] != nil },
		"fetches":    func(n string) bool { return fetchFills[n] != nil },
		"frontier":   func(n string) bool { return frontierFills[n] != nil },
		"crawls":     func(n string) bool { return crawlFills[n] != nil },
		"workers":    func(n string) bool { return workerFills[n] != nil },
		"schedules":  func(n string) bool { return scheduleFills[n] != nil },
		"jobs":       func(n string) bool { return jobFills[n] != nil },
		"history":    func(n string) bool { return historyFills[n] != nil },
		"blocks":     func(n string) bool { return blockFills[n] != nil },
		"changes":    func(n string) bool { return changeFills[n] != nil },
		"layouts":    func(n string) bool { return layoutFills[n] != nil },
		"links":      func(n string) bool { return linkFills[n] != nil },
		"duplicates": func(n string) bool { return duplicateFills[n] != nil },
		"ranks":      func(n string) bool { return rankFills[n] != nil },
		"graphs":     func(n string) bool { return graphFills[n] != nil },
		"edges":      func(n string) bool { return edgeFills[n] != nil },
		"periods":    func(n string) bool { return periodFills(nil)[n] != nil },
	}
	late := map[string]func(name string) bool{
		"versions": func(n string) bool { return versionFields[n] != nil || learnedFields[n] != nil },
		"pages":    func(n string) bool { return versionFields[n] != nil },
		"blocks":   func(n string) bool { return blockFields[n] != nil || senseFields[n] != nil || siteFields[n] != nil },
		"changes":  func(n string) bool { return changeFields[n] != nil },
		"layouts":  func(n string) bool { return n == "html" },
		"links":    func(n string) bool { return linkFields[n] != nil },
	}
	for _, r := range All() {
		for _, c := range r.Columns {
			ok := has[r.Name](c.Name)
			if c.Late() {
				ok = late[r.Name](c.Name)
			}
			if !ok {
				t.Errorf("%s.%s is not computed", r.Name, c.Name)
			}
		}
	}
}
