// Package s3 reads and writes the objects of a bucket: in Amazon S3, or in another
// store that has the same interface. A [Client] carries out single requests. [FS.Check]
// checks whether a store honours what an archive in a bucket needs.
//
// # Words
//
//	key        the name of an object in a bucket, such as "archive/pools/a/000001.raw"
//	name       a key without the prefix of the client's URL, such as "pools/a/000001.raw"
//	ETag       a text that the store changes whenever the content of an object changes
//	condition  what must be true of an object for a PUT to change it
//	block      a piece of an object, some KB long, which the cache on this machine keeps
//	place      where a file is kept, and whether its content may change, see disk.Place
package s3

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Scheme begins the URL of a bucket, or of a prefix in one.
const Scheme = "s3://"

// IsURL reports whether a path is the URL of a place in a bucket, such as
// "s3://bucket/prefix".
func IsURL(path string) bool { return strings.HasPrefix(path, Scheme) }

// Client carries out requests on the objects below one prefix of a bucket. It repeats a
// request that fails for a reason that may pass. Several goroutines may use a client.
// A client needs no Close; idle connections are closed after a while.
type Client struct {
	core     minio.Core
	bucket   string
	prefix   string        // "" or ends with "/"
	endpoint string        // such as "https://s3.amazonaws.com"
	backoff  time.Duration // as in Server
	attempts int           // as in Server
	meter    *meter        // counts requests and bytes
}

// Server says where a store is and how a client signs its requests. The zero value means
// Amazon S3 without signatures.
type Server struct {
	// Endpoint is the URL of the store, such as "http://127.0.0.1:9000". "" means
	// Amazon S3.
	Endpoint string
	// Region is the region that signatures name. If it is "", a client of Amazon S3 asks
	// for the region of the bucket, and a client of another store uses "us-east-1".
	Region string
	// Credentials sign the requests. Nil means that requests are not signed.
	Credentials *credentials.Credentials
	// Backoff is the longest wait before the first repetition of a request. Each
	// further wait may be twice as long. 0 means 100 ms.
	Backoff time.Duration
	// Attempts is how often a client sends a request that fails, before it returns the error. 0
	// means 8. With the waits in between, 8 attempts take some 10 s on average.
	Attempts int
}

// FromEnvironment returns the store and the credentials that other S3 clients on this
// machine use. They come from the environment variables AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL_S3 and
// AWS_ENDPOINT_URL, from the files ~/.aws/config and ~/.aws/credentials, or from the service
// that gives a machine at Amazon its role. FromEnvironment makes no request; the client looks
// up the credentials at its first request.
func FromEnvironment() Server {
	return Server{
		Endpoint: firstOf("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
		Region:   firstOf("AWS_REGION", "AWS_DEFAULT_REGION"),
		Credentials: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{},
			&credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: 2 * time.Second}},
		}),
	}
}

// firstOf returns the value of the first of these environment variables that is not empty, or
// "" if all are empty.
func firstOf(names ...string) string {
	for _, n := range names {
		if v := os.Getenv(n); v != "" {
			return v
		}
	}
	return ""
}

// Open returns a client for a URL such as "s3://bucket/prefix". Store and credentials
// are those of FromEnvironment. Open makes no request; ctx is not kept.
func Open(ctx context.Context, place string) (*Client, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return FromEnvironment().Open(place)
}

// Open returns a client for a URL such as "s3://bucket/prefix" in this store. It makes
// no request.
func (s Server) Open(place string) (*Client, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(place, Scheme), "/")
	if !IsURL(place) || bucket == "" {
		return nil, fmt.Errorf("%q names no bucket: write s3://BUCKET/PREFIX", place)
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return nil, fmt.Errorf("%q names no bucket: %w", place, err)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	endpoint := s.Endpoint
	if endpoint == "" {
		endpoint = "https://s3.amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the endpoint %q is no URL: set AWS_ENDPOINT_URL_S3 to one such as http://127.0.0.1:9000", endpoint)
	}
	region := s.Region
	if region == "" && s.Endpoint != "" {
		region = "us-east-1"
	}
	c := &Client{bucket: bucket, prefix: prefix, endpoint: endpoint, backoff: s.Backoff, attempts: cmp.Or(s.Attempts, attemptsDefault), meter: &meter{base: transport()}}
	if c.backoff == 0 {
		c.backoff = 100 * time.Millisecond
	}
	quick()
	client, err := minio.New(u.Host, &minio.Options{
		Creds:      s.Credentials,
		Secure:     u.Scheme == "https",
		Region:     region,
		Transport:  c.meter,
		MaxRetries: 1, // the Client repeats requests, because it must know which may have been carried out
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", place, err)
	}
	c.core = minio.Core{Client: client}
	return c, nil
}

// quick makes the library minio return an error of its only attempt after at most 1 ms.
// Otherwise the library would first wait for up to 200 ms.
var quick = sync.OnceFunc(func() { minio.DefaultRetryUnit = time.Millisecond })

// transport returns the HTTP transport of a client. A client reads many small ranges at
// once, so it keeps more idle connections than the default does.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	t.MaxConnsPerHost = 64
	t.ResponseHeaderTimeout = time.Minute
	t.DisableCompression = true
	return t
}

// CloseIdle closes the connections that no request uses now. The next requests open others.
func (c *Client) CloseIdle() { c.meter.base.CloseIdleConnections() }

// URL returns the URL of the client's place, such as "s3://bucket/prefix".
func (c *Client) URL() string { return strings.TrimSuffix(Scheme+c.bucket+"/"+c.prefix, "/") }

// Endpoint returns the URL of the store, such as "https://s3.amazonaws.com".
func (c *Client) Endpoint() string { return c.endpoint }

// Stats returns what the client has done since it was opened.
func (c *Client) Stats() Stats { return c.meter.stats() }
