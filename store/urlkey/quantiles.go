package urlkey

// Quantiles returns those of keys, which are sorted, that divide keys into parts of about the
// same number of keys. It returns up to parts-1 keys, each once, and none that is the first
// of keys.
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
