// Package memo keeps results in memory that are costly to compute again. All results of an
// archive share one limit, so that the memory of an open archive is bounded.
package memo

import (
	"container/list"
	"sync"
)

// Cache keeps the values that were used last, up to a number of bytes. Several goroutines may
// use a Cache, and the values in it. A value must not grow after Put beyond the bytes that Put
// was given. A nil Cache keeps nothing.
type Cache struct {
	mu    sync.Mutex
	limit int64
	items map[any]*list.Element
	plain queue // the values of Put
	dear  queue // the values of PutDear
}

// queue has values in the order of their last use; the value that was not used for the longest
// time is dropped first.
type queue struct {
	list.List // of *item, the one used last at the front
	bytes     int64
}

// item is one value of a Cache.
type item struct {
	key, value any
	bytes      int64
	in         *queue
}

// ItemBytes is an estimate of the memory, in bytes, that a Cache takes for each value besides
// the value itself.
const ItemBytes = 200

// New returns an empty Cache. limit is how many bytes its values may take.
func New(limit int64) *Cache { return &Cache{limit: limit, items: make(map[any]*list.Element)} }

// Get returns the value that was put into c under this key. ok is false if c does not have it.
// V must be the type of the value.
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

// Put adds a value, which takes the given number of bytes. If c then exceeds its limit, Put
// drops the values that were not used for the longest time. A value of more than a quarter of
// the limit is not added. Each user of c has a key type of its own, so that their keys never
// collide.
func (c *Cache) Put(key, value any, bytes int64) {
	if c != nil {
		c.put(&item{key, value, bytes, &c.plain})
	}
}

// PutDear adds a small value that took long to compute. It does what Put does, but c drops the
// values of Put first. The values of PutDear take at most half of the limit.
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

// Room returns the greatest size, in bytes, of a value that Put adds.
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

// shrink drops values until c is within its limits.
func (c *Cache) shrink() {
	for c.dear.bytes > c.limit/2 {
		c.drop(c.dear.Back())
	}
	for c.dear.bytes+c.plain.bytes > c.limit {
		c.drop(c.plain.Back())
	}
}

// drop removes one value.
func (c *Cache) drop(e *list.Element) {
	i := e.Value.(*item)
	i.in.Remove(e)
	i.in.bytes -= i.bytes
	delete(c.items, i.key)
}
