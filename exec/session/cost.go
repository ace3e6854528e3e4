package session

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/exec/cost"
	"infomall/exec/cputime"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

// Estimate estimates what the plan node costs on the snapshot snap; see package cost. snap
// may be nil if the plan reads no archive. If the archive is in a folder, Estimate counts
// rows on a sample of URLs, which takes some hundredths of a second.
func (s *Session) Estimate(ctx context.Context, snap relation.Snapshot, node plan.Node) (*cost.Estimate, error) {
	if a := s.o.Archive; snap != nil && a.Path() != a.Local() {
		return s.guess(ctx, snap, node) // each read of a bucket takes long
	}
	r := s.runner(snap)
	r.Quiet = true
	return cost.Of(ctx, snap, node, cost.Options{Rates: s.o.Rates, Runner: r})
}

// guess does what Estimate does, but without a sample. It takes hardly any time.
func (s *Session) guess(ctx context.Context, snap relation.Snapshot, node plan.Node) (*cost.Estimate, error) {
	return cost.Of(ctx, snap, node, cost.Options{Rates: s.o.Rates})
}

// CostText returns a text for the cost of a plan that ran, such as "120 rows, 1.5 MB, 304.2
// ms".
func CostText(rows, bytes int64, took time.Duration) string {
	return costText(rows, bytes, strconv.FormatFloat(float64(took.Microseconds())/1000, 'f', 1, 64)+" ms")
}

func costText(rows, bytes int64, took string) string {
	return value.Counted(rows, "row") + ", " + value.Size(bytes) + ", " + took
}

// wholeRows rounds an estimated number of rows to two significant digits, because an
// estimate is not more precise.
func wholeRows(rows float64) int64 {
	if rows < 100 {
		return int64(math.Round(rows))
	}
	unit := math.Pow(10, math.Floor(math.Log10(rows))-1)
	return int64(math.Round(rows/unit) * unit)
}

// secondsText returns a time as text, such as "4 ms", "0.3 s", "12 s", "3 min" or "2 h".
func secondsText(seconds float64) string {
	switch {
	case seconds < .001:
		return "less than 1 ms"
	case seconds < .0995:
		return strconv.Itoa(int(math.Round(seconds*1000))) + " ms"
	case seconds < 9.95:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	case seconds < 100:
		return strconv.Itoa(int(math.Round(seconds))) + " s"
	case seconds < 100*60:
		return strconv.Itoa(int(math.Round(seconds/60))) + " min"
	}
	return strconv.FormatFloat(math.Round(seconds/3600), 'f', 0, 64) + " h"
}

// EstimateText returns the estimate e as text, such as "120 rows, 1.5 MB, 0.3 s".
func EstimateText(e *cost.Estimate) string {
	text := costText(wholeRows(e.Rows), int64(e.Bytes()), secondsText(e.Seconds))
	if e.Sample != "" {
		text += ", by a sample of " + e.Sample
	}
	return text
}

// guard returns a function for the field Begin of a Runner, which calls it before each plan.
// The function asks the user if the estimate of the plan is above the setting warn_cost.
// When the plan has ended, it learns from meter, which measured the plan, to estimate later
// plans better. snap is the snapshot that the plans read.
func (s *Session) guard(snap relation.Snapshot, meter *op.Meter) func(context.Context, plan.Node) (func(error), error) {
	return func(ctx context.Context, node plan.Node) (func(error), error) {
		if len(plan.Sources(node)) == 0 {
			return nil, nil
		}
		if err := s.warn(ctx, snap, node); err != nil {
			return nil, err
		}
		rates := s.o.Rates
		if rates == nil {
			return nil, nil
		}
		before, fresh := readStats(snap), !s.warm
		start, busy := time.Now(), cputime.Used()
		return func(err error) {
			s.warm = true
			took, busy := time.Since(start), cputime.Used()-busy
			if err != nil || ctx.Err() != nil || !rates.Worth(node, took) {
				return
			}
			did := actualOf(meter, shareOf(busy, meter.Of(node).Time))
			e, err := cost.Of(ctx, snap, node, cost.Options{Rates: rates, Ran: did})
			if err != nil {
				return // the next plan teaches as much
			}
			after := readStats(snap)
			after.IndexBytes -= before.IndexBytes
			after.Bytes -= before.Bytes
			rates.Learn(e, did, after, fresh)
		}, nil
	}
}

// readStats returns how much was read through snap so far. snap may be nil.
func readStats(snap relation.Snapshot) (st record.ReadStats) {
	if snap != nil {
		st = snap.Stats()
	}
	return st
}

// shareOf returns the share of the time of a plan in which processors worked for this
// process, at most 1. took is that time, busy the time of the processors. For the rest the
// plan waited for a disk or another program.
func shareOf(busy, took time.Duration) float64 {
	if busy <= 0 || busy >= took {
		return 1
	}
	return float64(busy) / float64(took)
}

// actualOf returns a function that returns what a node did, as meter measured it. It
// multiplies the measured times by share.
func actualOf(meter *op.Meter, share float64) func(plan.Node) cost.Actual {
	return func(n plan.Node) cost.Actual {
		m := meter.Of(n)
		return cost.Actual{Rows: m.Rows, Time: time.Duration(float64(m.Time) * share), Ended: m.Ended}
	}
}

// CostLimit is the value of the setting warn_cost. The user is asked before a plan runs that
// is estimated to take longer or to read more bytes. 0 means no limit.
type CostLimit struct {
	Time  time.Duration
	Bytes int64
}

// set reports whether l has a limit.
func (l CostLimit) set() bool { return l.Time > 0 || l.Bytes > 0 }

// exceeded reports whether the estimate e is above l.
func (l CostLimit) exceeded(e *cost.Estimate) bool {
	return l.Time > 0 && e.Seconds > l.Time.Seconds() || l.Bytes > 0 && e.Bytes() > float64(l.Bytes)
}

// text returns l as text that SET accepts, such as "10s, 1GB".
func (l CostLimit) text() string {
	var list []string
	if l.Time > 0 {
		list = append(list, DelayText(l.Time))
	}
	if l.Bytes > 0 {
		list = append(list, SizeText(l.Bytes))
	}
	if list == nil {
		return "off"
	}
	return strings.Join(list, ", ")
}

// parseCostLimit sets dst from v: off, a duration such as 10s, a size such as 1GB, or
// both with a comma between them.
func parseCostLimit(dst *CostLimit, v string) error {
	var l CostLimit
	if strings.EqualFold(strings.TrimSpace(v), "off") {
		*dst = l
		return nil
	}
	for part := range strings.SplitSeq(v, ",") {
		part = strings.TrimSpace(part)
		var bytes int64
		var d time.Duration
		switch {
		case l.Time == 0 && parseDuration(&d, part, "a duration", time.Millisecond, delayMax) == nil:
			l.Time = d
		case l.Bytes == 0 && !isNumber(part) && parseSize(&bytes, part) == nil && bytes > 0:
			l.Bytes = bytes
		default:
			return fmt.Errorf("write off, a duration such as 10s, a size such as 1GB, or '10s, 1GB', not %q", v)
		}
	}
	*dst = l
	return nil
}

// isNumber reports whether v is a number without a unit.
func isNumber(v string) bool {
	_, err := strconv.ParseFloat(v, 64)
	return err == nil
}

// CostError says that a plan was refused because its estimate is above the setting warn_cost
// and the session cannot ask the user.
type CostError struct {
	Cost  string // the estimate in words
	Limit string // the value of warn_cost
}

func (e *CostError) Error() string {
	return fmt.Sprintf("this would cost about %s, more than warn_cost, which is %s; make it read less, or SET warn_cost = off", e.Cost, e.Limit)
}

// sampleAbove is the time in seconds that a query must be guessed to take before a sample is
// used to estimate it better. The sample takes some hundredths of a second.
const sampleAbove = .5

// warn asks the user about the plan node if its estimate is above the setting warn_cost.
// It returns nil if the plan may run.
func (s *Session) warn(ctx context.Context, snap relation.Snapshot, node plan.Node) error {
	limit := s.o.Settings.WarnCost
	if !limit.set() {
		return nil
	}
	e, err := s.guess(ctx, snap, node)
	if err == nil && (e.Seconds > sampleAbove || limit.exceeded(e)) {
		e, err = s.Estimate(ctx, snap, node)
	}
	if err != nil || !limit.exceeded(e) {
		return err
	}
	text := EstimateText(e)
	if s.o.ConfirmCost == nil {
		return &CostError{text, limit.text()}
	}
	return s.o.ConfirmCost(ctx, fmt.Sprintf("This costs about %s, more than warn_cost (%s).", text, limit.text()))
}
