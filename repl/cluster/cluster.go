// Package cluster has the files that start infomall on several machines: compose.yaml for
// Docker Compose, and the Dockerfile of the image that it names.
package cluster

import _ "embed"

// Compose is the file for Docker Compose. Its comments say how to use it.
//
//go:embed compose.yaml
var Compose string

// Dockerfile builds the image infomall, which compose.yaml names.
//
//go:embed Dockerfile
var Dockerfile string
