package repl

import (
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"infomall/repl/cluster"
	"infomall/repl/doctor"
)

// composeFile is the part of a file for Docker Compose that the test reads.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Command     []string
		Entrypoint  []string
		DependsOn   []string `yaml:"depends_on"`
		Environment map[string]string
		Volumes     []string
		Configs     []struct{ Source string }
	}
	Configs map[string]struct{ Content string }
	Volumes map[string]any
}

// TestCompose shows that the compose file is one, that the arguments of infomall in it are a
// command line that the program accepts, and that each name in it leads somewhere.
func TestCompose(t *testing.T) {
	var file composeFile
	if err := yaml.Unmarshal([]byte(cluster.Compose), &file); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"NODE": "1", "HOST1": "10.0.0.1", "HOST2": "10.0.0.2", "HOST3": "10.0.0.3", "ACCESS_KEY": "a", "SECRET_KEY": "s", "NATS_PASSWORD": "p"}
	documented := regexp.MustCompile(`(?m)^#        ([A-Z0-9_]+)=`).FindAllStringSubmatch(cluster.Compose, -1)
	for _, m := range documented {
		if environment[m[1]] == "" {
			t.Errorf("the comment asks for %s, which nothing uses", m[1])
		}
	}
	if len(documented) != len(environment) {
		t.Errorf("the comment names %d variables, and there are %d", len(documented), len(environment))
	}
	var roles []string
	for name, s := range file.Services {
		for _, d := range s.DependsOn {
			if _, ok := file.Services[d]; !ok {
				t.Errorf("%s depends on %s, which is no service", name, d)
			}
		}
		for _, v := range s.Volumes {
			if from, _, _ := strings.Cut(interpolate(t, v, environment), ":"); !strings.HasPrefix(from, ".") {
				if _, ok := file.Volumes[from]; !ok {
					t.Errorf("%s has the volume %s, which is none", name, from)
				}
			}
		}
		for _, c := range s.Configs {
			if file.Configs[c.Source].Content == "" {
				t.Errorf("%s has the configuration %s, which is none", name, c.Source)
			}
		}
		if !strings.HasPrefix(s.Image, "${IMAGE:-infomall}") {
			continue
		}
		if got := interpolate(t, s.Environment["INFOMALL_ARCHIVE"], environment); got != "s3://infomall/archive" {
			t.Errorf("%s: the archive is %s", name, got)
		}
		args := slices.Clone(s.Command)
		if len(s.Entrypoint) > 0 {
			args = append(s.Entrypoint[1:], args...)
		}
		for i := range args {
			args[i] = interpolate(t, args[i], environment)
		}
		if args[0] == "doctor" {
			for _, a := range args[1:] {
				if !doctor.IsPlace(a) {
					t.Errorf("%s: the doctor does not check %s", name, a)
				}
			}
			continue
		}
		roles = append(roles, args[0])
		if _, err := parseOptions(args, io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if slices.Sort(roles); strings.Join(roles, " ") != "--fetcher --nats --serve --worker" {
		t.Errorf("the processes of infomall are %s", roles)
	}
	for _, c := range file.Configs {
		if text := interpolate(t, c.Content, environment); strings.Count(text, "{") != strings.Count(text, "}") || !strings.Contains(text, "server_name: node1\n") {
			t.Errorf("the configuration of NATS is\n%s", text)
		}
	}
}

// variable matches a variable in a compose file: ${NAME}, ${NAME:-default} or ${NAME:?text}.
var variable = regexp.MustCompile(`\$\{([A-Z0-9_]+)(?::([-?])((?:[^${}]|\$\{[^}]*\})*))?\}`)

// interpolate returns text with the values of its variables, as Docker Compose does.
func interpolate(t *testing.T, text string, environment map[string]string) string {
	t.Helper()
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		m := variable.FindStringSubmatch(v)
		switch value := environment[m[1]]; {
		case value != "":
			return value
		case m[2] == "-":
			return interpolate(t, m[3], environment)
		}
		t.Errorf("%s has no value", m[1])
		return ""
	})
}

// TestDockerfile shows that the Dockerfile builds the program of this module, with the version
// of Go that go.mod asks for.
func TestDockerfile(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.GoVersion}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	major := strings.Join(strings.Split(strings.TrimSpace(string(out)), ".")[:2], ".")
	if !strings.Contains(cluster.Dockerfile, "FROM golang:"+major+" ") {
		t.Errorf("go.mod asks for Go %s", major)
	}
	folder := regexp.MustCompile(`go build -o /infomall (\S+)`).FindStringSubmatch(cluster.Dockerfile)
	if main, err := filepath.Glob(filepath.Join("..", folder[1], "*.go")); err != nil || len(main) == 0 {
		t.Errorf("no program in %s", folder[1])
	}
}
