package serve

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPI shows that the document describes the paths that there are, that its
// references lead somewhere, and that each API answers its example.
func TestOpenAPI(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	type parameter struct {
		Name, In string
		Required bool
		Example  any
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Parameters  []parameter
			Responses   map[string]any
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(string(openAPIDocument), -1) {
		if doc.Components.Schemas[m[1]] == nil {
			t.Errorf("the schema %s is not there", m[1])
		}
	}
	values := map[string]string{"url": "http://a.example/", "statement": "SELECT 1", "q": "body", "format": "json"}
	var described, ids []string
	for path, methods := range doc.Paths {
		for method, op := range methods {
			ids = append(ids, op.OperationID)
			target := path
			var query []string
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				if !slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.In == "path" && p.Name == name[1] && p.Required }) {
					t.Errorf("%s does not describe {%s}", path, name[1])
				}
			}
			for _, p := range op.Parameters {
				switch {
				case p.In == "path":
					target = strings.ReplaceAll(target, "{"+p.Name+"}", values[p.Name])
				case p.In == "query" && p.Required:
					query = append(query, p.Name, values[p.Name])
				}
			}
			if rt, _ := routeOf(strings.ReplaceAll(target, "/timemap/json/", "/timemap/link/")); rt == nil {
				t.Errorf("%s is no path of the server", path)
				continue
			} else {
				described = append(described, rt.path)
			}
			if method != "get" {
				continue
			}
			if len(query) > 0 {
				target += "?" + pairs(query...)
			}
			r := get(t, s.interfaceHandler(), target)
			body := bodyOf(t, r)
			status := map[int]string{200: "200", 302: "302"}[r.StatusCode]
			if op.Responses[status] == nil {
				t.Errorf("%s answers %d, which is not described: %.200s", target, r.StatusCode, body)
			}
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(ids) {
		t.Errorf("an operationId is there twice: %q", ids)
	}
	for _, rt := range routes {
		alias := strings.HasPrefix(rt.path, "/web/") || rt.path == "/cdx/search/cdx" || rt.path == "/openapi.json"
		if rt.api && !alias && !slices.Contains(described, rt.path) {
			t.Errorf("the document does not describe %s", rt.path)
		}
	}
}
