package store

import _ "embed"

// formatText travels with every archive, for whoever finds one without us.
//
//go:embed FORMAT.txt
var formatText string
