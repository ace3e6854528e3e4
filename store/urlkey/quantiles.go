package urlkey

// Quantiles divides keys, which must be sorted, into parts with about the same number of keys, and
// returns the first key of each part except the first. The result has at most parts-1 keys; it has
// fewer if keys has many equal keys. No key comes twice.
func Quantiles(keys []string, parts int) []string {
	if len(keys) == 0 {
		return nil
	}
	var list []string
	for i := 1; i < parts; i++ {
		key := keys[i*len(keys)/parts]
		if key > keys[0] && (list == nil || key > list[len(list)-1]) {
			list = append(list, key)
		}
	}
	return list
}
