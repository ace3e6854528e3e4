package urlkey

// Quantiles returns those of keys, which must be sorted, that divide keys into parts of about
// the same number of keys. Each result begins a part, except the first part, so there are up to
// parts-1 results. Each key comes once.
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
