package replay

// Policy returns the Content-Security-Policy of a replayed body of kind k. The
// body may load everything from its own origin and nothing from any other, and
// only it and interfaceOrigin may show it in a frame. Bodies of kinds in which the
// first script does not run may not run scripts.
func Policy(interfaceOrigin string, k Kind) string {
	ancestors := "frame-ancestors 'self' " + interfaceOrigin
	switch k {
	case Captured, Source:
		return "default-src 'none'; sandbox"
	case Document, XHTML, SVG, Code:
		// Frames must be 'self': a data: or blob: frame would be a document
		// without the first script. The text to which a javascript: address
		// evaluates would be one too: the policy for trusted types, which the
		// first script sets, sees these addresses. Workers have no such policy,
		// and need none.
		trust := "require-trusted-types-for 'script'; "
		if k == Code {
			trust = ""
		}
		return "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; " +
			"frame-src 'self'; object-src 'self'; form-action 'self'; base-uri 'self'; " + trust +
			ancestors + "; sandbox allow-scripts allow-forms allow-same-origin"
	case Still:
		return "default-src 'self' 'unsafe-inline' data: blob:; script-src 'none'; connect-src 'none'; " +
			"frame-src 'self'; object-src 'none'; form-action 'self'; base-uri 'self'; " +
			ancestors + "; sandbox allow-forms allow-same-origin"
	}
	return "default-src 'self' 'unsafe-inline' data: blob:; script-src 'none'; connect-src 'none'; " +
		"frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'; " +
		ancestors + "; sandbox"
}

// permissions is the Permissions-Policy of a replayed body. It switches off the
// functions of browsers that connect to other sites, or that ask the reader for
// something in the name of the archive.
const permissions = "attribution-reporting=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), hid=(), " +
	"identity-credentials-get=(), join-ad-interest-group=(), local-fonts=(), microphone=(), midi=(), otp-credentials=(), payment=(), " +
	"private-aggregation=(), private-state-token-issuance=(), private-state-token-redemption=(), publickey-credentials-create=(), " +
	"publickey-credentials-get=(), run-ad-auction=(), serial=(), shared-storage=(), storage-access=(), usb=()"
