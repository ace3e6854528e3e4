package session

import (
	"slices"
	"testing"
)

// TestSettingsSorted shows that SHOW SETTINGS lists the settings in the order of their names.
func TestSettingsSorted(t *testing.T) {
	if names := SettingNames(); !slices.IsSorted(names) {
		t.Errorf("not sorted: %q", names)
	}
}
