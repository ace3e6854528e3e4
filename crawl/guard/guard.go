// Package guard keeps a crawl off addresses that no public site has. It decides
// where a connection is made, after names are resolved and redirects followed,
// so that neither a redirect, nor a name that answers with another address the
// second time, nor an address in an odd spelling leads into the network the
// crawler stands in.
package guard

import (
	"fmt"
	"net/netip"
)

// Guard is the address rule of one crawl. The zero value lets through what is
// globally reachable and may hold a public site.
type Guard struct {
	// Private also lets through loopback, private, shared and link-local
	// addresses and those for tests, translation and tunnels, as ALLOW PRIVATE
	// asks for. What is no single host stays refused.
	Private bool
}

// RefusedError says that an address may not be connected to.
type RefusedError struct {
	Addr netip.Addr // an IPv4 address mapped into IPv6 as IPv4
	Kind string     // what the address is, after "is"
	Open bool       // whether ALLOW PRIVATE lets it through
}

func (e *RefusedError) Error() string {
	if e.Open {
		return fmt.Sprintf("address %s is %s: a crawl connects to it only with ALLOW PRIVATE", e.Addr, e.Kind)
	}
	return fmt.Sprintf("address %s is %s: no site can be there", e.Addr, e.Kind)
}

// Check returns a *RefusedError if the address may not be connected to.
func (g Guard) Check(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	for _, s := range special {
		if s.Contains(a) {
			if g.Private && !s.never {
				return nil
			}
			return &RefusedError{a, s.kind, !s.never}
		}
	}
	if a.Is4() || globalUnicast.Contains(a) {
		return nil
	}
	return &RefusedError{a, "not allocated to hosts", false}
}

// globalUnicast is the part of IPv6 that hosts are given addresses of.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// block is addresses that are refused.
type block struct {
	netip.Prefix
	kind  string
	never bool // also with ALLOW PRIVATE
}

// special holds the IANA registries of special-purpose addresses (RFC 6890 and
// what came since), the multicast and reserved spaces, and the deprecated ways
// to write an IPv4 address as IPv6. Where the registry calls part of a block
// global (relays, anycast services), no site is there either. Mapped addresses
// are not here: Check judges the IPv4 address they stand for.
var special = []block{
	{prefix("0.0.0.0/8"), "of this network", true},
	{prefix("10.0.0.0/8"), "private", false},
	{prefix("100.64.0.0/10"), "shared by a provider's customers", false},
	{prefix("127.0.0.0/8"), "loopback", false},
	{prefix("169.254.0.0/16"), "link-local", false},
	{prefix("172.16.0.0/12"), "private", false},
	{prefix("192.0.0.0/24"), "for protocols", false},
	{prefix("192.0.2.0/24"), "for documentation", false},
	{prefix("192.88.99.0/24"), "a 6to4 relay", false},
	{prefix("192.168.0.0/16"), "private", false},
	{prefix("198.18.0.0/15"), "for benchmarks", false},
	{prefix("198.51.100.0/24"), "for documentation", false},
	{prefix("203.0.113.0/24"), "for documentation", false},
	{prefix("224.0.0.0/4"), "multicast", true},
	{prefix("240.0.0.0/4"), "reserved", true},

	{prefix("::/128"), "of this network", true},
	{prefix("::1/128"), "loopback", false},
	{prefix("::/96"), "an IPv4 address in a form out of use", true},
	{prefix("::ffff:0:0:0/96"), "an IPv4 address behind a translator", false},
	{prefix("64:ff9b::/96"), "an IPv4 address behind a translator (NAT64)", false},
	{prefix("64:ff9b:1::/48"), "an IPv4 address behind a translator (NAT64)", false},
	{prefix("100::/64"), "where packets are discarded", true},
	{prefix("100:0:0:1::/64"), "a dummy", true},
	{prefix("2001::/32"), "an IPv4 address in a tunnel (Teredo)", false},
	{prefix("2001::/23"), "for protocols", false},
	{prefix("2001:db8::/32"), "for documentation", false},
	{prefix("2002::/16"), "an IPv4 address in a tunnel (6to4)", false},
	{prefix("3fff::/20"), "for documentation", false},
	{prefix("5f00::/16"), "for segment routing", true},
	{prefix("fc00::/7"), "private", false},
	{prefix("fe80::/10"), "link-local", false},
	{prefix("fec0::/10"), "private", false},
	{prefix("ff00::/8"), "multicast", true},
}

var prefix = netip.MustParsePrefix
