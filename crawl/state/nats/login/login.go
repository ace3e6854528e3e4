// Package login says by what a client of NATS proves who it is: the environment variables
// that the program nats reads, too.
package login

import (
	"os"

	"github.com/nats-io/nats.go"
)

// Options returns the options of a connection for the environment variables NATS_USER and
// NATS_PASSWORD, or NATS_CREDS, the path of a file with credentials, and NATS_CA, the path of
// a file with root certificates. Without these variables it returns none.
func Options() (list []nats.Option) {
	if user := os.Getenv("NATS_USER"); user != "" {
		list = append(list, nats.UserInfo(user, os.Getenv("NATS_PASSWORD")))
	}
	if file := os.Getenv("NATS_CREDS"); file != "" {
		list = append(list, nats.UserCredentials(file))
	}
	if file := os.Getenv("NATS_CA"); file != "" {
		list = append(list, nats.RootCAs(file))
	}
	return list
}
