package serve

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.json
var openAPIDocument []byte

// openAPI sends the OpenAPI document of the APIs.
func (s *server) openAPI(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	if notModified(w, r, `"`+s.metrics.boot+`"`) {
		return nil
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err := w.Write(openAPIDocument)
	return err
}
