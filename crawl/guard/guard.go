// Package guard keeps a crawl away from addresses that no public site has, such
// as those of the local network. It checks the address at the moment a
// connection is made, after names are resolved and redirects are followed. So
// none of these leads into the crawler's own network: a redirect, a host name
// that resolves to another address the second time, or an address in an unusual
// spelling.
package guard

import (
	"fmt"
	"net/netip"
)

// Guard decides to which addresses one crawl may connect. The zero value allows
// addresses that are reachable from the whole Internet and may belong to a
// site.
type Guard struct {
	// Private is set for ALLOW PRIVATE. It also allows loopback, private,
	// shared and link-local addresses, and those for tests, translation and
	// tunnels. Addresses that are not of a single host, such as multicast, stay
	// refused.
	Private bool
}

// RefusedError says that a crawl may not connect to an address, and why.
type RefusedError struct {
	Addr netip.Addr // the address; an IPv4 address written as IPv6 appears as IPv4
	Kind string     // what the address is, such as "private" or "a 6to4 relay"
	Open bool       // whether ALLOW PRIVATE would allow it
}

func (e *RefusedError) Error() string {
	if e.Open {
		return fmt.Sprintf("address %s is %s: a crawl connects to it only with ALLOW PRIVATE", e.Addr, e.Kind)
	}
	return fmt.Sprintf("address %s is %s: no site can be there", e.Addr, e.Kind)
}

// Check returns nil if the crawl may connect to the address a, otherwise a
// *RefusedError.
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

// globalUnicast is the part of the IPv6 addresses from which public hosts
// get theirs.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// block is a range of addresses to which a crawl must not connect.
type block struct {
	netip.Prefix
	kind  string
	never bool // refused with ALLOW PRIVATE too
}

// special lists the addresses that are refused: the IANA registries of
// special-purpose addresses (RFC 6890 and later ones), the multicast and
// reserved ranges, and obsolete ways to write an IPv4 address as IPv6. Some
// parts of these ranges are global by the registry (relays, anycast services),
// but they have no sites either. IPv4 addresses mapped into IPv6 are missing
// here, because Check turns them into IPv4 first. The first range that contains
// an address decides.
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
