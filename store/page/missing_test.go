package page

import "testing"

func TestSoftMissing(t *testing.T) {
	tests := []struct {
		title, text string
		want        bool
	}{
		{"404 Not Found", "nginx", true},
		{"Oops", "Sorry\nThe page you are looking for is gone", true},
		{"提示", "您访问的页面不存在\n返回首页", true},
		{"", "404", true},
		{"Room 404", "A novel about a hotel", false},
		{"HTTP 404 explained", string(make([]byte, 5000)), false},
		{"News", "The lost city was not found by the expedition.", false},
		{"Scaladoc for kafka.common", "class InvalidMessageSizeException\nIndicates the client has requested a range no longer available on the server\n", false},
		{"Sorry", "Sorry, the page you requested was not found on this server.\n", true},
		{"", "", false},
	}
	for _, tt := range tests {
		if reason, got := SoftMissing(tt.title, tt.text); got != tt.want || got == (reason == "") {
			t.Errorf("SoftMissing(%q, %.40q) = %q, %v; want %v", tt.title, tt.text, reason, got, tt.want)
		}
	}
}
