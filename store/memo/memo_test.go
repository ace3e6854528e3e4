package memo

import (
	"sync"
	"testing"
)

type key struct{ n int }

// bytes returns how many bytes all values of c take.
func (c *Cache) bytes() int64 { return c.plain.bytes + c.dear.bytes }

// TestCache shows that a Cache drops the values that were not used for the longest time,
// keeps no value that is too large, and stays within its limit.
func TestCache(t *testing.T) {
	const size = 1000
	c := New(10 * (size + ItemBytes))
	for n := range 20 {
		c.Put(key{n}, n, size)
		if v, ok := Get[int](c, key{0}); !ok || v != 0 {
			t.Fatalf("after %d values, the value that is used again and again is lost", n+1)
		}
	}
	for n := range 20 {
		if _, ok := Get[int](c, key{n}); ok != (n == 0 || n > 10) {
			t.Errorf("value %d is kept: %v", n, ok)
		}
	}
	if c.Put(key{20}, 20, c.Room()+1); c.bytes() > c.limit {
		t.Errorf("%d bytes are kept, the limit is %d", c.bytes(), c.limit)
	}
	if _, ok := Get[int](c, key{20}); ok {
		t.Error("a value of more than Room is kept")
	}
	c.Put(key{21}, 21, c.Room())
	if _, ok := Get[int](c, key{21}); !ok {
		t.Error("a value of Room bytes is not kept")
	}
	if c.Put(key{21}, 22, 1); c.bytes() > c.limit || len(c.items) != c.plain.Len() {
		t.Errorf("%d bytes, %d and %d values", c.bytes(), len(c.items), c.plain.Len())
	}
	if v, _ := Get[int](c, key{21}); v != 22 {
		t.Errorf("the value is %d after it was put again, want 22", v)
	}
	c.Bound(0)
	if len(c.items) != 0 || c.bytes() != 0 {
		t.Errorf("%d values of %d bytes are kept with a limit of 0", len(c.items), c.bytes())
	}
	var none *Cache
	none.Put(key{1}, 1, 1)
	if _, ok := Get[int](none, key{1}); ok || none.Room() != 0 {
		t.Error("a nil Cache keeps a value")
	}
}

// TestCacheDear shows that values of Put push out no value of PutDear, and that these take
// at most half of the limit, the ones used last.
func TestCacheDear(t *testing.T) {
	const size = 1000
	c := New(10 * (size + ItemBytes))
	for n := range 7 {
		if n == 6 {
			Get[int](c, key{1})
		}
		c.PutDear(key{n}, n, size)
	}
	for n := range 40 {
		c.Put(key{100 + n}, n, size)
	}
	for n := range 7 {
		if _, ok := Get[int](c, key{n}); ok != (n == 1 || n > 2) {
			t.Errorf("dear value %d is kept: %v", n, ok)
		}
	}
	for n := range 40 {
		if _, ok := Get[int](c, key{100 + n}); ok != (n >= 35) {
			t.Errorf("value %d is kept: %v", n, ok)
		}
	}
	if c.Put(key{6}, 7, size); c.dear.Len() != 4 || c.plain.Len() != 6 || c.bytes() > c.limit {
		t.Errorf("%d dear values and %d others, %d bytes, after a dear value was put again with Put", c.dear.Len(), c.plain.Len(), c.bytes())
	}
	if v, _ := Get[int](c, key{6}); v != 7 {
		t.Errorf("the value is %d after it was put again, want 7", v)
	}
	if c.Bound(4 * (size + ItemBytes)); c.dear.Len() != 2 || c.plain.Len() != 2 {
		t.Errorf("%d dear values and %d others after the limit was lowered, want 2 and 2", c.dear.Len(), c.plain.Len())
	}
}

// TestCacheShared uses a Cache in several goroutines.
func TestCacheShared(t *testing.T) {
	c := New(5000)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for n := range 1000 {
				k := key{(n*7 + g) % 30}
				if v, ok := Get[int](c, k); ok && v != k.n {
					t.Errorf("the value of %d is %d", k.n, v)
				}
				c.Put(k, k.n, 300)
			}
		})
	}
	wg.Wait()
	if c.bytes() > c.limit {
		t.Errorf("%d bytes are kept, the limit is %d", c.bytes(), c.limit)
	}
}
