package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/minio/minio-go/v7"

	"infomall/store/disk"
)

// ErrCondition is wrapped by the error of a PUT whose condition was not true. The PUT
// has changed nothing.
var ErrCondition = disk.ErrCondition

// ErrUnsure is wrapped by the error of a PUT with a condition if the client cannot say
// whether the PUT was carried out: the answer was lost, and the object now has a content
// that the client did not send.
var ErrUnsure = disk.ErrUnsure

// Error is the error of a request. It says what was tried, on which object, why it failed,
// and what the user can do. It wraps fs.ErrNotExist if the object or the bucket does not
// exist.
type Error struct {
	Deed     string // what was tried, such as "read"
	Bucket   string
	Key      string // "" means the bucket
	Endpoint string
	Err      error  // the cause
	Remedy   string // what the user can do; "" if the cause says enough
}

// Error returns a message of one line.
func (e *Error) Error() string {
	place := Scheme + e.Bucket
	if e.Key != "" {
		place += "/" + e.Key
	}
	s := fmt.Sprintf("%s %s at %s: %v", e.Deed, place, e.Endpoint, e.Err)
	if e.Remedy != "" {
		s += ": " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is disk.ErrUnanswered and e does not say that the object is missing.
func (e *Error) Is(target error) bool {
	return target == disk.ErrUnanswered && !errors.Is(e.Err, fs.ErrNotExist)
}

// remedies has, for the code of an error that the store returns, what the user can do.
var remedies = map[string]string{
	"NoSuchBucket":          "create the bucket, or correct its name",
	"AccessDenied":          "these credentials lack a right that is needed here: allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket",
	"InvalidAccessKeyId":    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	"SignatureDoesNotMatch": "check AWS_SECRET_ACCESS_KEY, and AWS_REGION if the store has regions",
	"ExpiredToken":          "fetch new credentials, and start again",
	"RequestTimeTooSkewed":  "set the clock of this machine",
	"NoCredentialProviders": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
}

// fail returns an *Error for err, an error of the library minio. deed says what was tried, and
// name is the name of the object. If ctx has ended, fail returns ctx's error instead.
func (c *Client) fail(ctx context.Context, deed, name string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &Error{Deed: deed, Bucket: c.bucket, Key: c.prefix + name, Endpoint: c.endpoint, Err: err}
	var r minio.ErrorResponse
	if errors.As(err, &r) {
		e.Remedy = remedies[r.Code]
		switch {
		case r.Code == "NoSuchBucket":
			e.Key, e.Err = "", fmt.Errorf("the bucket does not exist (%w)", fs.ErrNotExist)
		case r.StatusCode == http.StatusNotFound:
			e.Err = fmt.Errorf("the object does not exist (%w)", fs.ErrNotExist)
		case r.StatusCode == http.StatusPreconditionFailed:
			e.Err = ErrCondition
		}
		return e
	}
	e.Remedy = "check that the store runs there; AWS_ENDPOINT_URL_S3 names it"
	return e
}

// mayPass classifies err, the error of a failed request. again reports whether the request may
// succeed if it is repeated. sure reports whether it is certain that the store has not carried out
// the request.
func mayPass(err error) (again, sure bool) {
	var r minio.ErrorResponse
	if !errors.As(err, &r) {
		// No answer, or half of one.
		return !errors.Is(err, context.Canceled) || errors.Is(err, io.ErrUnexpectedEOF), false
	}
	switch r.Code {
	case "SlowDown", "TooManyRequests", "RequestTimeout", "RequestThrottled", "Throttling", "ServiceUnavailable", "ConditionalRequestConflict", "OperationAborted":
		return true, true
	}
	switch r.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true, true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true, false
	}
	return false, true
}
