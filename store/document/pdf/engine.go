package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// memoryPagesMax is how much memory PDFium may use, in pages of 64 KB: 256 MB.
const memoryPagesMax = 256 << 20 >> 16

// An instance of PDFium never gives memory back. It is therefore replaced by a new one
// after instanceBytes bytes of bodies or instancePages pages.
const (
	instanceBytes = 16 << 20
	instancePages = 2_000
)

// engine is PDFium, compiled from WebAssembly. It has no files, no network and no
// clock. Opening it takes 3 seconds of CPU time, or .1 seconds if its compiled form is
// in the cache; the first read opens it. One goroutine reads at a time, and others wait.
// The zero value is ready for use.
type engine struct {
	mu       sync.Mutex
	pool     pdfium.Pool
	instance pdfium.Pdfium
	bytes    int // of bodies that the instance has read
	pages    int // that the instance has read
}

// theEngine is the engine that Kind uses.
var theEngine = &engine{}

// openCache returns the cache for compiled forms, the folder infomall in the user's cache
// folder. It takes 22 MB. The result is nil if the folder cannot be used; then each opening
// of the engine compiles.
func openCache() wazero.CompilationCache {
	user, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(user, "infomall"))
	if err != nil {
		return nil
	}
	return cache
}

// Open opens the engine unless it is open already.
func (e *engine) Open() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open()
}

func (e *engine) open() error {
	if e.pool != nil {
		return nil
	}
	// Without WithCloseOnContextDone, which would make PDFium four times slower.
	// Without WithCompilationWorkers: each goroutine that compiles keeps memory for the
	// largest function, and two take 45 MB more than one.
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(memoryPagesMax).
		WithDebugInfoEnabled(false)
	if cache := openCache(); cache != nil {
		config = config.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context:       context.Background(),
		MaxTotal:      1,
		FSConfig:      wazero.NewFSConfig(), // without it the library mounts the root folder
		RuntimeConfig: config,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		RandomSource:  zeros{},
	})
	if err != nil {
		return fmt.Errorf("start PDFium: %w", err)
	}
	e.pool = pool
	return nil
}

// drop ends the current instance.
func (e *engine) drop() {
	if e.instance == nil {
		return
	}
	// The memory of the instance is freed even if PDFium reports an error, which it
	// may do after a body that broke it.
	_ = e.instance.Close()
	e.instance, e.bytes, e.pages = nil, 0, 0
}

// instanceTimeout is how long to wait for a new instance. Only a fault makes it wait so long,
// because no other reader uses the engine at the same time.
const instanceTimeout = time.Minute

// use calls read with an instance of PDFium. size is the size of the body in bytes. If read
// returns a brokenError, use discards the instance.
func (e *engine) use(size int, read func(p pdfium.Pdfium) (pages int, err error)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.open(); err != nil {
		return err
	}
	if e.bytes > 0 && (e.bytes+size > instanceBytes || e.pages > instancePages) {
		e.drop()
	}
	if e.instance == nil {
		p, err := e.pool.GetInstance(instanceTimeout)
		if err != nil {
			return fmt.Errorf("start PDFium: %w", err)
		}
		e.instance = p
	}
	pages, err := read(e.instance)
	e.bytes += max(size, 1)
	e.pages += pages
	var broken *brokenError
	if errors.As(err, &broken) {
		e.drop()
	}
	return err
}

// brokenError is an error after which an instance of PDFium is not used again.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// zeros is a source of random numbers that are all 0, so that a body is always read the
// same way.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
