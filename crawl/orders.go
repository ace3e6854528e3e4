package crawl

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"infomall/crawl/report"
	"infomall/store/urlkey"
)

// ordered are the orders of a crawl in the form in which the crawl uses them.
type ordered struct {
	excluded []exclusion
	delays   []hostDelay // the last one precedes
}

// exclusion is a set of URLs that an order excludes, in the form in which it is compared with
// URLs.
type exclusion struct {
	report.Exclusion
	scope urlkey.Scope
	match *regexp.Regexp // nil for a scope
}

// hostDelay is the pause that an order sets for the hosts in a scope.
type hostDelay struct {
	scope urlkey.Scope
	all   bool // for all hosts
	delay time.Duration
}

// readOrders makes the usable form of orders.
func readOrders(o *report.CrawlOrders) (r ordered, err error) {
	for _, x := range o.Excluded {
		out := exclusion{Exclusion: x}
		switch {
		case x.Match != "":
			out.match, err = regexp.Compile(x.Match)
		case x.To != "":
			out.scope, err = urlkey.ParseScopeRange(x.From, x.To)
		default:
			out.scope, err = urlkey.ParseScope(x.From)
		}
		if err != nil {
			return r, fmt.Errorf("orders to the crawl: EXCLUDE %s: %w", x, err)
		}
		r.excluded = append(r.excluded, out)
	}
	for _, x := range o.Delays {
		d := hostDelay{all: x.Scope == "", delay: x.Delay}
		if !d.all {
			if d.scope, err = urlkey.ParseScope(x.Scope); err != nil {
				return r, fmt.Errorf("orders to the crawl: SET DELAY: %w", err)
			}
		}
		r.delays = append(r.delays, d)
	}
	return r, nil
}

// excludes returns why an order excludes the URL u, or "" if none does. URLs that
// were added with FORCE are not excluded.
func (e *engine) excludes(u *report.Queued) string {
	if len(e.ordered.excluded) == 0 || u.Forced {
		return ""
	}
	key := urlkey.Key(u.URL)
	for i := range e.ordered.excluded {
		x := &e.ordered.excluded[i]
		if x.match != nil && x.match.MatchString(u.URL) || x.match == nil && x.scope.Contains(key) {
			return fmt.Sprintf("EXCLUDE %s FROM CRAWL %s excludes it", x, e.o.Name)
		}
	}
	return ""
}

// delayOf returns the pause that the statement or an order sets for the host
// called name; -1 means that the pause depends on the last request.
func (e *engine) delayOf(name string) time.Duration {
	key, common := "", e.o.Delay
	for _, d := range slices.Backward(e.ordered.delays) {
		if d.all {
			common = d.delay
			continue
		}
		if key == "" {
			key = urlkey.Key("http://" + name + "/")
		}
		if d.scope.Contains(key) {
			return d.delay
		}
	}
	return common
}

// takeOrders reads the orders that other processes gave. It obeys each order that
// has changed.
func (e *engine) takeOrders() error {
	was := e.orders
	o, err := e.q.Orders()
	if err != nil {
		return err
	}
	e.orders = o
	excluded, delays := !slices.Equal(was.Excluded, o.Excluded), !slices.Equal(was.Delays, o.Delays)
	if !excluded && !delays {
		return nil
	}
	if e.ordered, err = readOrders(&o); err != nil {
		return err
	}
	if delays {
		if err := e.hasten(); err != nil {
			return err
		}
	}
	if excluded {
		return e.includeAgain()
	}
	return nil
}

// includeAgain queues the URLs that were kept back because an order excluded them,
// and that no order excludes any more.
func (e *engine) includeAgain() error {
	if e.crawl.Excluded == 0 {
		return nil
	}
	hosts, err := e.q.KeptHosts()
	if err != nil {
		return err
	}
	for _, host := range hosts {
		n, err := e.f.Unkeep(host, func(u *report.Queued) bool { return u.Excluded && e.excludes(u) == "" })
		e.crawl.Waiting += int64(n)
		e.crawl.Excluded -= int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// hasten ends the pauses of hosts that would be shorter by the present orders. A
// pause that a server asked for, or that follows a failure, stays.
func (e *engine) hasten() error {
	now := e.now()
	for name, h := range e.hosts {
		if !h.polite || !h.free.After(now) {
			continue
		}
		free := h.asked.Add(e.pause(name, h, h.took))
		if !free.Before(h.free) {
			continue
		}
		h.free = free
		if h.addr.IsValid() {
			e.manners.hasten(h.addr, free)
		}
		if err := e.f.Hasten(name, h.next(now)); err != nil {
			return err
		}
	}
	return nil
}
