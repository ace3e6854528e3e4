// Package memo keeps results in memory that are costly to compute again. All results of an
// archive share one limit, so that the memory of an open archive is bounded.
package memo

import (
	"container/list"
	"sync"
)

// Cache keeps the values that were used last, up to a number of bytes. After Put, several
// goroutines may use a value, and it must not take more memory than was said. Several
// goroutines may use a Cache. A nil Cache keeps nothing.
type Cache struct {
	mu    sync.Mutex
	limit int64
	items map[any]*list.Element
	plain queue // the values of Put
	dear  queue // the values of PutDear
}

// queue is the values that are dropped one after the other.
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

// itemBytes is about how much memory a Cache takes for each value, besides the value.
const itemBytes = 200

// New returns an empty Cache with a limit in bytes.
func New(limit int64) *Cache { return &Cache{limit: limit, items: make(map[any]*list.Element)} }

// Get returns the value that was put into c with a key. ok is false if c does not have it.
// V must be the type of that value.
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

// Put adds a value, which takes the given number of bytes, and drops the values that were
// not used for the longest time if c then exceeds its limit. A value of more than a quarter
// of the limit is not added. The types of keys tell apart the users of c: each user has a
// type of its own.
func (c *Cache) Put(key, value any, bytes int64) {
	if c != nil {
		c.put(&item{key, value, bytes, &c.plain})
	}
}

// PutDear adds a value as Put does, but drops it only after all values that Put added. It is
// for small values that took long to compute. The values of PutDear take at most half of the
// limit.
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
	if i.bytes += itemBytes; i.bytes > c.limit/4 {
		return
	}
	c.items[i.key] = i.in.PushFront(i)
	i.in.bytes += i.bytes
	c.shrink()
}

// Room returns how many bytes a value may have at most, so that Put adds it.
func (c *Cache) Room() int64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, c.limit/4-itemBytes)
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
