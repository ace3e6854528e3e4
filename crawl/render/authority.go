package render

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"time"
)

// leavesMax bounds the certificates that an authority keeps.
const leavesMax = 1000

// authority signs the certificates with which the proxies end TLS. It is made for one
// run and lies only in memory. All its certificates have one key, by which the browser
// knows them. An authority may be used from many goroutines.
type authority struct {
	key  *ecdsa.PrivateKey
	root *x509.Certificate
	spki string // base64 of the SHA-256 of the public key, as the browser wants it

	mu     sync.Mutex
	leaves map[string]*tls.Certificate // by host
}

// newAuthority returns an authority with a new key.
func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of the browser's certificates: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("make the key of the browser's certificates: %w", err)
	}
	sum := sha256.Sum256(public)
	a := &authority{key: key, spki: base64.StdEncoding.EncodeToString(sum[:]), leaves: make(map[string]*tls.Certificate)}
	template := a.template("infomall, this run only")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make the browser's certificates: %w", err)
	}
	a.root, err = x509.ParseCertificate(der)
	return a, err
}

// template returns a certificate for name that is valid now and has no signature.
func (a *authority) template(name string) *x509.Certificate {
	serial := make([]byte, 16)
	rand.Read(serial) // never returns an error
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-24 * time.Hour),
		NotAfter:     now.Add(300 * 24 * time.Hour),
	}
}

// leaf returns the certificate of a host, which is a name or an IP address.
func (a *authority) leaf(host string) (*tls.Certificate, error) {
	host = strings.ToLower(host)
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.leaves[host]; c != nil {
		return c, nil
	}
	template := a.template("infomall")
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.root, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of %q: %w", host, err)
	}
	if len(a.leaves) >= leavesMax {
		clear(a.leaves)
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.root.Raw}, PrivateKey: a.key}
	a.leaves[host] = c
	return c, nil
}

// config returns the settings of TLS for a connection to host.
func (a *authority) config(host string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" {
				return a.leaf(hello.ServerName)
			}
			return a.leaf(host)
		},
	}
}
