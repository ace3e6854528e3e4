// Package memo keeps results in memory that are costly to compute again. All results of an
// archive share one limit, so that the memory of an open archive is bounded.
package memo

import (
	"container/list"
	"sync"
)

// Cache keeps the most recently used values, as many as fit into a limit in bytes. A value must
// not grow beyond the size that the caller passed to Put. Several goroutines may use a Cache, so
// they may use the same value at once. A nil Cache keeps nothing.
type Cache struct {
	mu    sync.Mutex
	limit int64
	items map[any]*list.Element
	plain queue // the values that Put added
	dear  queue // the values that PutDear added
}

// queue has values of a Cache in the order of their last use. The value at the back, which was
// not used for the longest time, is dropped first.
type queue struct {
	list.List       // of *item; the most recently used value is at the front
	bytes     int64 // the size of all values of the queue together
}

// item is one value of a Cache, with its key and size.
type item struct {
	key, value any
	bytes      int64
	in         *queue // the queue that has the value
}

// ItemBytes is an estimate of the memory, in bytes, that a Cache takes for each value besides
// the value itself.
const ItemBytes = 200

// New returns an empty Cache. limit is how many bytes all its values together may take.
func New(limit int64) *Cache { return &Cache{limit: limit, items: make(map[any]*list.Element)} }

// Get returns the value that was put into c under this key. ok is false if c does not have it.
// Get panics if the value is not of type V.
func Get[V any](c *Cache, key any) (v V, ok bool) {
	if c == nil {
		return v, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[key]
	if e == nil {
		return v, false
	}
	i := e.Value.(*item)
	i.in.MoveToFront(e)
	return i.value.(V), true
}

// Put adds a value under a key; bytes is the size of the value. If c then exceeds its limit, Put
// drops the least recently used values. A value larger than a quarter of the limit is not added.
// Each package that uses c has a key type of its own, so that keys of two packages never
// collide.
func (c *Cache) Put(key, value any, bytes int64) {
	if c != nil {
		c.put(&item{key, value, bytes, &c.plain})
	}
}

// PutDear adds a small value that took long to compute. It works like Put, but c drops values
// that Put added before it drops values that PutDear added. The values that PutDear added take
// at most half of the limit together.
func (c *Cache) PutDear(key, value any, bytes int64) {
	if c != nil {
		c.put(&item{key, value, bytes, &c.dear})
	}
}

func (c *Cache) put(i *item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.items[i.key]; e != nil {
		c.drop(e)
	}
	if i.bytes += ItemBytes; i.bytes > c.limit/4 {
		return
	}
	c.items[i.key] = i.in.PushFront(i)
	i.in.bytes += i.bytes
	c.shrink()
}

// Room returns the size, in bytes, of the largest value that Put adds; Put ignores larger values.
func (c *Cache) Room() int64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, c.limit/4-ItemBytes)
}

// Bound changes the limit of c, in bytes.
func (c *Cache) Bound(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
	c.shrink()
}

// shrink drops the least recently used values until all values together are within the limit,
// and the values of PutDear are within half of it.
func (c *Cache) shrink() {
	for c.dear.bytes > c.limit/2 {
		c.drop(c.dear.Back())
	}
	for c.dear.bytes+c.plain.bytes > c.limit {
		c.drop(c.plain.Back())
	}
}

// drop removes the value of the list element e from c.
func (c *Cache) drop(e *list.Element) {
	i := e.Value.(*item)
	i.in.Remove(e)
	i.in.bytes -= i.bytes
	delete(c.items, i.key)
}
