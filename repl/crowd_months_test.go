package repl

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// crowdAnswers are the queries whose rows are compared with the rows before the
// damage.
var crowdAnswers = []string{
	"SELECT url, time, status FROM captures ORDER BY url, time, status",
	"SELECT url, time, digest, bytes FROM captures ORDER BY url, time, digest",
}

// depends returns the pools, and for each the pools it depends on.
func (c *crowd) depends() map[string][]string {
	c.t.Helper()
	out, errs, status := c.ask("SELECT name, depends FROM pools")
	if status != 0 {
		c.t.Fatal(errs)
	}
	list := make(map[string][]string)
	for _, row := range rows(out) {
		name, on, _ := strings.Cut(row, ",")
		list[name] = strings.Fields(on)
	}
	return list
}

func monthQuery(month string) string {
	return fmt.Sprintf("SELECT url, time, status FROM captures BETWEEN %[1]s-%[2]s AND %[1]s-%[2]s ORDER BY url, time, status", month[:4], month[4:])
}

// askMonths asks for the captures of each month, some of whose db-files may be
// damaged. A month whose pools need no damaged file is answered whole. Only the status
// of a revisit may be NULL: its original may be in the damaged file, and the error then
// names that file.
func (c *crowd) askMonths(files []string, depends map[string][]string, before map[string]string) {
	c.t.Helper()
	bad := make(map[string]bool)
	for _, name := range files {
		if crowdNeeded(name) {
			bad[filepath.Base(filepath.Dir(name))] = true
		}
	}
	for range depends { // a pool that depends on a damaged pool may be damaged too
		for pool, on := range depends {
			bad[pool] = bad[pool] || slices.ContainsFunc(on, func(p string) bool { return bad[p] })
		}
	}
	months := make(map[string]bool) // whether all of its pools are whole
	for pool := range depends {
		month := pool[:6]
		whole, known := months[month]
		months[month] = !bad[pool] && (whole || !known)
	}
	for _, month := range slices.Sorted(maps.Keys(months)) {
		if !months[month] {
			continue
		}
		got, errs, status := c.ask(monthQuery(month))
		unknown := unknownStatuses(rows(got), rows(before[month]))
		named := slices.ContainsFunc(files, func(name string) bool { return crowdNeeded(name) && strings.Contains(errs, name) })
		if unknown < 0 || status == 0 && got != before[month] || status != 0 && (unknown == 0 || !named) {
			c.t.Errorf("%s ends with status %d: %s\n%s\ngot %q\nwant %q", monthQuery(month), status, errs, c.log.Bytes(), got, before[month])
		}
	}
}

// unknownStatuses returns how many rows of an answer have no status. It is −1 if the
// answer differs from the rows wanted in anything but a status that it does not have.
func unknownStatuses(got, want []string) (n int) {
	if len(got) != len(want) {
		return -1
	}
	var without []string
	for _, row := range got {
		if strings.HasSuffix(row, ",") {
			without = append(without, row)
		} else if !slices.Contains(want, row) {
			return -1
		}
	}
	for _, row := range want {
		if slices.Contains(got, row) {
			continue
		}
		if !slices.Contains(without, row[:strings.LastIndex(row, ",")+1]) {
			return -1
		}
	}
	return len(without)
}
