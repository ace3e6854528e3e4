package repl

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which of our packages each package may import. "all" means all of
// them. Every package must be in the table: a new package or a new import is a
// line here.
var arrows = map[string]string{
	"lang":         "lang/ast lang/cells lang/cursor lang/fault lang/grammar lang/scan",
	"lang/ast":     "",
	"lang/cells":   "",
	"lang/cursor":  "lang/grammar lang/scan",
	"lang/fault":   "lang/ast lang/cells lang/grammar lang/scan",
	"lang/grammar": "lang/ast lang/scan",
	"lang/scan":    "lang/ast",

	"store/urlkey":           "",
	"store/words":            "",
	"store/words/match":      "store/words/stem",
	"store/words/keyword":    "store/words store/words/cut store/words/match",
	"store/words/stem":       "",
	"store/record":           "store/urlkey",
	"store/record/message":   "store/record",
	"store/record/task":      "store/record store/urlkey",
	"store/formats/tianwang": "store/record store/record/message store/record/task store/crc32c",
	"store/formats/gzipped":  "store/record store/record/message",
	"store/formats/warc":     "store/record store/formats/gzipped store/record/message store/record/task store/urlkey",
	"store/formats/glob":     "",
	"store/formats":          "store/record store/formats/arc store/formats/glob store/formats/mirror store/formats/tianwang store/formats/wacz store/formats/warc store/record/message store/record/task",
	"store/formats/mirror":   "store/record store/record/message",
	"store/formats/arc":      "store/record store/formats/gzipped store/record/message",
	"store/formats/cdx":      "store/record store/urlkey",
	"store/formats/wacz":     "store/record store/formats/warc store/formats/arc store/formats/cdx store/record/message store/urlkey",
	"store/packed":           "",
	"store/crc32c":           "",
	"store/memo":             "",
	"store/page":             "store/page/charset",
	"store/page/article":     "store/page/charset store/page/markup store/record",
	"store/page/charset":     "",
	"store/page/coding":      "",
	"store/page/markup":      "store/packed store/page/charset store/record/message",
	"store/page/pagetest":    "",
	"store/block":            "",
	"store/block/about":      "store/block/divide store/block/flow store/block/label store/page/markup store/words store/words/cut store/words/match",
	"store/block/blame":      "store/block/life store/record store/words",
	"store/block/divide":     "store/document store/block/flow store/block/label store/packed store/page store/page/charset store/page/coding store/page/markup store/record store/record/message",
	"store/block/facts":      "store/block/about store/block/divide store/block/label store/packed store/page/charset store/page/markup store/record store/words",
	"store/block/flow":       "store/page/markup",
	"store/block/label":      "store/page/markup store/words",
	"store/block/life":       "store/block/about store/block/divide store/block/facts store/packed store/record store/record/message store/words",
	"store/disk":             "",

	"store/document":       "store/packed store/record",
	"store/document/kinds": "store/document store/document/bundle store/document/epub store/document/feed store/document/flash store/document/format store/document/interchange store/document/jsontext store/document/mail store/document/msdoc store/document/msoutlook store/document/msppt store/document/msxls store/document/msxml store/document/ole store/document/ooxml store/document/opendocument store/document/pagetext store/document/pdf store/document/picture store/document/rtf store/document/sound store/document/table store/document/uof store/document/video store/document/xmltext",
	"store/document/child": "store/document store/packed store/crc32c",

	// Parts that several kinds share.
	"store/document/cellformat": "",
	"store/document/dates":      "store/record",
	"store/document/media":      "store/document store/page/charset store/record",
	"store/document/office":     "store/document store/document/dates store/record",
	"store/document/xmlpull":    "store/page/charset",
	"store/document/xmlscan":    "store/document store/page store/page/charset",
	"store/document/zipped":     "store/document",

	// The kinds.
	"store/document/bundle":       "store/document store/page/charset store/record",
	"store/document/epub":         "store/document store/document/office store/document/xmlpull store/document/zipped store/page/charset store/page/markup",
	"store/document/feed":         "store/document store/document/dates store/document/pagetext store/document/table store/document/xmlscan store/page store/page/charset store/record",
	"store/document/flash":        "store/document store/document/media store/page/charset",
	"store/document/interchange":  "store/document store/document/table store/page/charset",
	"store/document/jsontext":     "store/document store/document/dates store/document/pagetext store/page/charset store/record",
	"store/document/mail":         "store/document store/document/dates store/document/pagetext store/page/charset",
	"store/document/msdoc":        "store/document store/document/office store/document/ole",
	"store/document/msoutlook":    "store/document store/document/ole store/record",
	"store/document/msppt":        "store/document store/document/ole",
	"store/document/msxls":        "store/document store/document/cellformat store/document/ole",
	"store/document/uof":          "store/document store/document/office store/document/table store/document/xmlpull store/document/xmlscan store/page",
	"store/document/msxml":        "store/document store/document/cellformat store/document/office store/document/table store/document/xmlscan store/page",
	"store/document/ole":          "store/document store/page/charset store/record",
	"store/document/ooxml":        "store/document store/document/cellformat store/document/office store/document/xmlpull store/document/zipped",
	"store/document/opendocument": "store/document store/document/office store/document/xmlpull store/document/zipped",
	"store/document/pagetext":     "store/document store/page store/page/charset store/page/markup",
	"store/document/pdf":          "store/document store/record",
	"store/document/picture":      "store/document store/document/media store/page/charset store/record",
	"store/document/rtf":          "store/document store/document/office store/page/charset store/record",
	"store/document/sound":        "store/document store/document/media",
	"store/document/table":        "store/document store/page store/page/charset",
	"store/document/video":        "store/document store/document/media",
	"store/document/xmltext":      "store/document store/document/dates store/document/pagetext store/document/xmlscan store/page store/page/charset store/record",

	"store/document/format":        "store/packed store/page/charset",
	"store/document/format/pronom": "store/packed",

	"store/document/documenttest":      "store/document store/page/pagetest",
	"store/document/office/officetest": "store/document store/document/documenttest",
	"store/document/ole/oletest":       "store/document store/document/documenttest store/record",

	"store/words/cut":            "store/words store/words/cut/list",
	"store/words/cut/list":       "",
	"store/words/term":           "store/words/cut store/words/match",
	"store/words/cut/list/jieba": "store/words/cut/list",
	"store/words/keyword/stop":   "store/words",

	"store/disk/disktest":  "store/disk",
	"store/disk/lines":     "store/disk store/crc32c",
	"store/disk/s3":        "store/disk store/crc32c",
	"store/disk/tier":      "store/disk store/disk/lines",
	"store/disk/s3/s3test": "store/disk/s3",

	"store/mend":         "store/body store/catalog store/commit store/disk store/disk/lines store/disk/tier store/finder store/formats store/formats/tianwang store/formats/warc store/notes store/record store/record/message store/record/task store/search/index store/segment store/segment/indexfile store/snapshot store/urlkey store/timeline store/document store/readings store/page store/page/coding store/crc32c",
	"store/notes":        "store/commit store/disk store/disk/lines store/notes/result store/record store/record/task store/segment store/urlkey",
	"store/notes/result": "store/disk store/disk/lines store/record store/record/task store/urlkey store/crc32c",
	"store/commit":       "store/catalog store/disk store/disk/lines store/disk/tier store/record store/record/task store/segment store/segment/indexfile store/crc32c",
	"store/catalog":      "store/disk/lines store/record store/record/task store/segment store/crc32c",
	"store/segment":      "store/record store/urlkey store/disk store/packed store/segment/column store/segment/indexfile store/sequences store/tight store/crc32c",
	"store/sequences":    "",
	"store":              "store/disk store/disk/s3 store/commit store/mend store/notes store/urlkey store/record store/record/task store/body store/finder store/snapshot store/remove store/segment store/merge store/ingest store/disk/tier",
	"store/timeline":     "store/record store/segment store/block/divide",
	"store/derive":       "store/page store/page/charset store/record store/record/message store/segment store/timeline store/urlkey store/block/divide store/block/facts store/block/life",
	"store/body":         "store/catalog store/commit store/disk store/record store/segment store/segment/indexfile store/timeline store/urlkey store/block/divide store/block/facts store/crc32c",
	"store/readings":     "store/disk store/document store/packed store/segment store/crc32c",
	"store/search":       "store/block/facts store/block/label store/record store/search/index store/segment store/words/match",
	"store/search/index": "store/block/facts store/block/label store/disk store/memo store/packed store/page/charset store/segment store/urlkey store/words/match store/crc32c",
	"store/snapshot":     "store/block/divide store/body store/catalog store/commit store/derive store/disk store/page store/page/charset store/readings store/record store/record/message store/record/task store/search store/segment store/timeline store/urlkey store/crc32c",
	"store/finder":       "store/block/divide store/block/facts store/body store/commit store/disk store/memo store/page store/page/charset store/record store/search store/search/index store/segment store/snapshot store/timeline store/urlkey store/words/match",
	"store/remove":       "store/body store/catalog store/commit store/record store/record/task store/segment store/snapshot store/timeline",
	"store/merge":        "store/block/divide store/block/facts store/body store/catalog store/commit store/derive store/disk store/page/charset store/record store/record/task store/segment store/segment/indexfile store/snapshot store/timeline store/urlkey store/crc32c",
	"store/ingest":       "store/block/divide store/body store/catalog store/commit store/derive store/disk store/formats store/formats/tianwang store/packed store/page/charset store/record store/record/message store/record/task store/segment store/snapshot store/timeline store/urlkey",

	"exec/value":       "exec/regions lang/ast store/record store/record/task store/urlkey store/words/match",
	"exec/expr":        "exec/value exec/dedup lang/ast store/record store/urlkey store/record/message store/words store/words/match exec/places store/record/task exec/classify exec/regions store/block/facts store/words/keyword",
	"exec/eval":        "exec/value exec/expr store/urlkey",
	"exec/relation":    "exec/value store/memo store/record store/urlkey crawl/report exec/dedup exec/eval exec/expr exec/graph exec/spill lang/ast store/page store/page/charset store/page/coding store/page/markup store/record/message store/record/task store/words store/block/about store/block/divide store/block/facts store/block/label store/block/life store/document store/search store/words/match exec/terms store/words/term store/document/format store/page/article exec/firstseen store/packed exec/places",
	"exec/plan":        "exec/value exec/expr lang/ast store/record store/urlkey store/words/match store/words/term exec/relation exec/relation/all exec/relation/work",
	"exec/spill":       "exec/value",
	"exec/terms":       "exec/spill store/page store/record store/search store/segment store/words/term",
	"exec/cost":        "exec/cputime exec/expr exec/op exec/plan exec/relation exec/value store/record store/urlkey exec/relation/work store/crc32c",
	"exec/op":          "exec/value exec/plan exec/spill lang/ast store/record store/urlkey exec/expr exec/eval exec/relation",
	"exec/rowio":       "exec/value lang/ast lang/cells store/record",
	"exec/graph":       "exec/spill store/record/task store/urlkey",
	"exec/schedule":    "",
	"exec/watch":       "exec/spill exec/value store/record store/record/task store/urlkey",
	"exec/cputime":     "",
	"exec/dedup":       "",
	"exec/events":      "",
	"exec/regions":     "crawl/guard store/page/charset",
	"exec/places":      "store/packed store/record/task store/words store/words/cut store/words/match",
	"exec":             "exec/value exec/schedule exec/watch exec/plan lang lang/ast store/record exec/expr store/record/task exec/relation exec/access exec/crawls exec/define exec/duplicate exec/export exec/pool exec/query exec/rank exec/session exec/show exec/relation/work exec/event exec/train exec/cluster exec/checkreplay",
	"exec/vector":      "store/words/term",
	"exec/classify":    "exec/dedup exec/value exec/vector store/record/task store/urlkey store/words store/words/term",
	"exec/places/pack": "",

	"store/segment/column":    "store/packed",
	"store/tight":             "",
	"store/segment/indexfile": "store/disk",

	"exec/regions/regionstest": "",

	"exec/clustering": "exec/dedup exec/vector",

	"exec/relation/work":   "crawl/order crawl/report exec/relation exec/value exec/watch store/record store/record/task store/urlkey",
	"exec/relation/result": "exec/graph exec/relation store/record store/record/task store/urlkey exec/classify exec/event/kept exec/places",
	"exec/relation/all":    "exec/relation exec/relation/result exec/relation/work",
	"exec/firstseen":       "exec/spill store/packed store/record store/record/task",
	"exec/reports":         "exec/dedup store/record store/words",
	"exec/draw/outlines":   "",
	"exec/webhook":         "",

	"exec/event":                 "exec/event/kept exec/events exec/expr exec/op exec/places exec/plan exec/relation exec/reports exec/session exec/spill exec/value lang/ast store/packed store/record store/record/task store/urlkey store/words store/words/cut store/words/keyword store/words/match store/words/term exec/firstseen store/block/facts exec/dedup",
	"exec/event/kept":            "exec/spill store/packed store/record store/record/task store/urlkey",
	"exec/relation/relationtest": "store/memo store/record store/urlkey store/record/message store/record/task store/search store/page/charset store/page/markup store/block/divide store/block/life store/document",
	"exec/access":                "crawl/report exec/classify exec/event/kept exec/expr exec/plan exec/relation exec/session exec/value exec/watch lang/ast store/record store/record/task store/urlkey exec/relation/result",
	"exec/crawls":                "crawl/report crawl/revisit exec/expr exec/plan exec/relation exec/session exec/value exec/watch lang lang/ast store/record store/record/task store/urlkey",
	"exec/define":                "exec/access exec/expr exec/plan exec/session lang/ast store/record/task exec/relation/all",
	"exec/draw":                  "exec/rowio exec/value lang/cells store/block/about store/block/divide store/block/label store/block/life store/document exec/draw/outlines store/record",
	"exec/duplicate":             "exec/dedup exec/expr exec/op exec/plan exec/relation exec/session exec/spill exec/value lang/ast store/record store/record/task store/words store/block/facts exec/relation/result",
	"exec/export":                "crawl/report exec/expr exec/lake exec/op exec/plan exec/relation exec/rowio exec/session exec/spill exec/value exec/wholefile exec/webhook lang/ast store/formats/cdx store/formats/tianwang store/formats/wacz store/formats/warc store/record store/record/message store/urlkey",
	"exec/pool":                  "exec/expr exec/plan exec/rank exec/relation exec/session exec/value exec/watch exec/wholefile lang lang/ast store/formats/glob store/record store/record/task store/urlkey exec/places exec/spill",
	"exec/query":                 "exec/cost exec/export exec/expr exec/plan exec/relation exec/session exec/value lang lang/ast store/record store/record/task store/search store/urlkey exec/relation/all exec/relation/work",
	"exec/rank":                  "exec/expr exec/graph exec/op exec/plan exec/relation exec/rowio exec/session exec/value lang lang/ast store/formats/glob store/record store/record/task store/urlkey store/words exec/relation/result",
	"exec/session":               "exec/cputime crawl/order crawl/report exec/draw exec/expr exec/lake exec/op exec/plan exec/relation exec/rowio exec/spill exec/value lang lang/ast store/record store/record/task store/urlkey store/block/divide exec/watch exec/cost exec/relation/all exec/relation/result exec/relation/work exec/regions store/words/match store/page/charset",
	"exec/cluster":               "exec/clustering exec/dedup exec/expr exec/op exec/plan exec/session exec/spill exec/value exec/vector lang/ast store/record store/record/task store/urlkey store/words store/words/keyword exec/relation/result",
	"exec/checkreplay":           "crawl/report exec/plan exec/relation exec/session exec/value lang/ast store/block/divide store/page/coding store/record store/record/message store/urlkey store/words",
	"exec/show":                  "crawl/robots exec/draw exec/expr exec/plan exec/relation exec/session exec/value lang/ast store/page store/page/charset store/page/markup store/record store/record/message store/urlkey store/words store/block/blame store/block/divide store/block/life store/search",
	"exec/train":                 "exec/classify exec/expr exec/plan exec/session exec/value lang/ast store/block/facts store/record/task store/urlkey",
	"exec/wholefile":             "",
	"exec/lake":                  "exec/rowio exec/value exec/wholefile store/disk store/record",
	"exec/worker":                "exec/relation exec/session exec/spill lang/ast store/record store/urlkey exec/value store/crc32c",
	"exec/worker/nats":           "exec/worker crawl/state/nats/login",
	"exec/worker/natstest":       "",
	"exec/worker/workertest":     "exec/session exec/worker",

	"crawl/fetch":   "crawl/guard store/record crawl/report store/record/message store/urlkey",
	"crawl/guard":   "",
	"crawl/forms":   "store/page/charset store/page/markup store/urlkey",
	"crawl/links":   "crawl/forms store/document crawl/robots store/page store/urlkey store/record/message store/page/charset store/page/coding store/page/markup",
	"crawl/order":   "crawl/report store/urlkey",
	"crawl/render":  "store/disk store/record/message",
	"crawl/revisit": "",
	"crawl/robots":  "",
	"crawl/trap":    "store/urlkey",

	"crawl":                  "crawl/render store/document crawl/fetch crawl/frontier crawl/links crawl/order crawl/robots crawl/trap store/record store/urlkey store/page crawl/report store/record/message store/record/task store/page/charset store/page/coding store/page/markup crawl/forms",
	"crawl/frontier":         "store/record crawl/report",
	"crawl/report":           "store/record store/urlkey",
	"crawl/state/nats":       "crawl/state/nats/login crawl/report crawl/state store/packed store/record store/urlkey",
	"crawl/state/nats/login": "",
	"crawl/state":            "crawl/report store/disk store/packed store/record store/urlkey",

	"repl":              "all",
	"repl/mcp":          "exec/query exec/session lang repl/ask exec/relation/all",
	"repl/ask":          "exec exec/rowio exec/session exec/value lang lang/ast repl/serve/lookup",
	"repl/serve":        "exec/access exec/draw exec/relation exec/rowio exec/session exec/value lang lang/ast repl/ask repl/serve/cdx repl/serve/keep repl/serve/lookup repl/serve/replay store/block/divide store/block/life store/page/charset store/page/coding store/memo store/page/markup store/record store/record/message store/urlkey exec/relation/all",
	"repl/serve/cdx":    "exec/relation exec/rowio repl/serve/lookup store/record store/urlkey",
	"repl/serve/keep":   "exec/relation store/memo",
	"repl/serve/lookup": "exec/relation store/record store/urlkey",
	"repl/serve/replay": "store/page/charset store/page/markup store/urlkey",
	"repl/complete":     "exec/export exec/expr exec/pool exec/query exec/relation/all exec/rowio exec/session lang lang/ast lang/cells repl/printer store/record store/record/task store/urlkey",
	"repl/history":      "lang store/disk store/urlkey",
	"repl/interrupts":   "",
	"repl/printer":      "exec/draw exec/rowio exec/session exec/value lang lang/ast lang/cells repl/term store/record",
	"repl/term":         "lang/cells",
	"repl/cmd/infomall": "repl",
	"repl/memory":       "",
	"repl/cluster":      "",
	"repl/doctor":       "crawl/state/nats crawl/state/nats/login exec/worker/nats store/disk/s3",
	"queries":           "",
}

// testArrows lists further imports that only the tests of a package may have.
var testArrows = map[string]string{
	"store/disk/s3":        "store/disk/s3/s3test",
	"store/search":         "store/disk",
	"store/document/pdf":   "store/document/documenttest",
	"lang/ast":             "lang",
	"exec":                 "exec/cost exec/regions/regionstest exec/relation/all exec/relation/relationtest crawl/report exec/plan exec/worker exec/worker/workertest store/document store/record/message store/urlkey",
	"exec/expr":            "exec/regions/regionstest lang",
	"exec/checkreplay":     "crawl/report exec exec/relation/relationtest lang",
	"exec/worker/nats":     "exec exec/relation exec/relation/relationtest exec/session exec/worker/natstest lang store/record",
	"exec/eval":            "lang lang/ast store/record",
	"exec/relation":        "lang",
	"exec/relation/all":    "lang/ast",
	"exec/graph":           "exec/relation/relationtest",
	"exec/show":            "exec/relation/relationtest store/block/facts store/segment",
	"exec/cost":            "exec/relation/relationtest lang lang/ast",
	"exec/plan":            "lang",
	"exec/value":           "lang",
	"exec/draw":            "store/block/divide",
	"exec/regions":         "exec/regions/regionstest",
	"store":                "store/disk/disktest store/disk/s3 store/disk/s3/s3test store/document store/readings store/packed crawl/state crawl/report store/page/markup store/block/life store/block/facts store/disk/lines store/block/divide store/catalog store/derive store/formats store/record store/record/message store/segment store/segment/indexfile store/timeline store/search store/search/index store/words/match store/memo store/crc32c",
	"queries":              "lang store/record store/record/message store/formats/tianwang store/formats/warc",
	"store/formats/mirror": "store/urlkey",
	"crawl":                "store crawl/state store/disk",
	"crawl/state/nats":     "crawl exec/worker/natstest store store/disk",
	"crawl/frontier":       "store/disk crawl/state",
	"crawl/guard":          "store/urlkey",
	"store/notes":          "store/disk/disktest",
	"store/block":          "store/block/about store/block/divide store/block/facts store/block/flow store/block/life store/page/markup store/page/pagetest store/words",
	"store/block/about":    "store/page/pagetest",
	"store/block/blame":    "store/block/divide",
	"store/block/divide":   "store/page/pagetest store/words store/block/about",
	"store/block/facts":    "store/page store/page/pagetest store/record/message",
	"store/block/life":     "store/block/flow store/page/markup store/page/pagetest",
	"store/page/article":   "store/block/about store/block/divide store/page/pagetest store/urlkey",
	"store/page/markup":    "store/page/pagetest",
	"store/merge":          "store",
	"repl/serve/replay":    "store/page/pagetest",
	"repl/ask":             "exec/relation exec/relation/relationtest store/record",
	"repl/mcp":             "exec exec/relation exec/relation/relationtest store/record",
	"repl/serve":           "exec exec/event/kept store/record/task exec/relation/relationtest repl store/document/child store/document store/page/pagetest",
	"repl/doctor":          "exec/worker/natstest store/disk/s3/s3test",
	"repl/serve/keep":      "exec/relation/relationtest",
	"repl/serve/lookup":    "exec/relation/relationtest",

	"store/document/epub":         "store/document/documenttest store/document/office/officetest store/record",
	"store/document/ooxml":        "store/document/documenttest store/document/office/officetest store/page/pagetest",
	"store/document/opendocument": "store/document/documenttest store/document/office/officetest store/record",
	"store/document/rtf":          "store/document/documenttest store/document/office/officetest",

	"store/document/msdoc":     "store/document/documenttest store/document/ole/oletest",
	"store/document/msoutlook": "store/document/documenttest store/document/ole/oletest",
	"store/document/msppt":     "store/document/documenttest store/document/ole/oletest",
	"store/document/msxls":     "store/document/documenttest store/document/ole/oletest",
	"store/document/ole":       "store/document/documenttest store/document/ole/oletest store/page/pagetest",

	"store/document/flash":   "store/document/documenttest",
	"store/document/picture": "store/document/documenttest store/record",
	"store/document/sound":   "store/document/documenttest",
	"store/document/video":   "store/document/documenttest store/record",

	"store/document/bundle":      "store/document/documenttest",
	"store/document/feed":        "store/document/documenttest",
	"store/document/jsontext":    "store/document/documenttest",
	"store/document/kinds":       "store/document/documenttest store/page/pagetest",
	"store/document/mail":        "store/document/documenttest store/record",
	"store/document/pagetext":    "store/document/documenttest",
	"store/document/table":       "store/document/documenttest",
	"store/document/xmltext":     "store/document/documenttest",
	"store/document/uof":         "store/document/documenttest store/document/office/officetest",
	"store/document/msxml":       "store/document/documenttest",
	"store/document/interchange": "store/document/documenttest",

	"store/document/format": "store/document/format/pronom",
}

// homes says which packages may import each outside module. Modules that only
// tests use are in testModules.
var homes = map[string]string{
	"github.com/alecthomas/participle/v2":    "lang/grammar lang/scan",
	"github.com/alecthomas/kong":             "repl",
	"github.com/chzyer/readline":             "repl/term",
	"github.com/mattn/go-runewidth":          "lang/cells",
	"github.com/parquet-go/parquet-go":       "exec/rowio",
	"github.com/apache/arrow-go/v18":         "exec/rowio",
	"golang.org/x/term":                      "repl/term",
	"go.etcd.io/bbolt":                       "store/segment/indexfile crawl/state",
	"github.com/minio/minio-go/v7":           "store/disk/s3",
	"golang.org/x/sync":                      "store/commit store/disk/s3",
	"github.com/dgraph-io/ristretto/v2":      "store/body",
	"github.com/bits-and-blooms/bloom/v3":    "store/segment",
	"github.com/klauspost/compress":          "store/ingest store/merge store/readings store/segment store/sequences store/tight store/notes/result store/search/index store/formats store/formats/tianwang store/formats/warc store/formats/gzipped store/page/coding store/page/pagetest store/block/facts repl/serve",
	"github.com/andybalholm/brotli":          "store/page/coding",
	"github.com/nlnwa/whatwg-url":            "store/urlkey",
	"golang.org/x/image":                     "store/document/picture",
	"github.com/ulikunitz/xz":                "store/document/bundle",
	"golang.org/x/net":                       "store/urlkey store/page/charset crawl/fetch repl/serve",
	"golang.org/x/text":                      "store/urlkey store/document/pdf store/page/charset store/page/markup store/words/match exec/regions/regionstest exec/value repl",
	"golang.org/x/sys":                       "store/disk repl/term",
	"github.com/blevesearch/snowballstem":    "store/words/stem",
	"github.com/klippa-app/go-pdfium":        "store/document/pdf",
	"github.com/tetratelabs/wazero":          "store/document/pdf",
	"github.com/prometheus/client_golang":    "repl/serve",
	"github.com/modelcontextprotocol/go-sdk": "repl/mcp",
	"github.com/chromedp/cdproto":            "crawl/render",
	"github.com/chromedp/chromedp":           "crawl/render",

	"github.com/oschwald/maxminddb-golang/v2": "exec/regions",
	"github.com/nats-io/nats-server/v2":       "exec/worker/natstest",
	"github.com/nats-io/nats.go":              "exec/worker/nats exec/worker/natstest crawl/state/nats crawl/state/nats/login repl/doctor",
}

// testHomes lists further packages whose tests may import an outside module.
var testHomes = map[string]string{
	"go.etcd.io/bbolt":                 "store/segment",
	"github.com/chromedp/cdproto":      "repl/serve",
	"github.com/chromedp/chromedp":     "repl/serve",
	"golang.org/x/net":                 "store/page/markup",
	"golang.org/x/sys":                 "repl repl/serve",
	"golang.org/x/text":                "queries repl repl/serve/replay store/document/flash store/document/picture store/document/sound",
	"github.com/klauspost/compress":    "repl store store/block/divide store/page/charset store/formats store/formats/arc exec/graph exec/dedup store/document/format",
	"github.com/parquet-go/parquet-go": "repl",
}

var testModules = []string{
	"github.com/rogpeppe/go-internal",
	"github.com/creack/pty",
	"pgregory.net/rapid",
	"gonum.org/v1/gonum",
	"go.yaml.in/yaml/v3",
}

// standardHomes says which packages may import the network code of the standard
// library: only the crawler fetches pages, only the server answers, only package s3 talks
// to a store of objects, and only package webhook sends rows to web servers.
var standardHomes = map[string]string{
	"net/http": "crawl/fetch exec/webhook repl/serve store/disk/s3 store/disk/s3/s3test",
}

// TestImports checks every import of the module against the tables above. An arrow that no
// import needs is a fault, too: the table says which packages know each other.
func TestImports(t *testing.T) {
	root := ".."
	needed := make(map[[2]string]bool) // a package, and a package of ours that it imports
	neededByTests := make(map[[2]string]bool)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && file != root && (name == "testdata" || name == "archive" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			test := strings.HasSuffix(rel, "_test.go")
			if fault := importFault(path.Dir(rel), imported, test); fault != "" {
				t.Errorf("%s imports %q: %s", rel, imported, fault)
			}
			arrow := [2]string{path.Dir(rel), strings.TrimPrefix(imported, "infomall/")}
			neededByTests[arrow] = neededByTests[arrow] || test
			needed[arrow] = needed[arrow] || !test
		}
		if _, ok := arrows[path.Dir(rel)]; !ok {
			t.Errorf("%s: package %s is not in the table of arrows", rel, path.Dir(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]map[string]string{"arrows": arrows, "testArrows": testArrows} {
		of := needed
		if name == "testArrows" {
			of = neededByTests
		}
		for pkg, list := range table {
			for _, imported := range strings.Fields(list) {
				if list != "all" && !of[[2]string{pkg, imported}] {
					t.Errorf("%s: no import needs the arrow from %s to %s; delete it", name, pkg, imported)
				}
			}
		}
	}
}

// importFault returns why the package may not import imported, or "" if it may.
func importFault(pkg, imported string, test bool) string {
	first, rest, _ := strings.Cut(imported, "/")
	switch {
	case first == "infomall":
		if rest == pkg || allows(arrows[pkg], rest) || test && allows(testArrows[pkg], rest) {
			return ""
		}
		return "no such arrow; see the table in repl/imports_test.go"
	case !strings.Contains(first, "."):
		if home, bound := standardHomes[imported]; bound && !allows(home, pkg) && !test {
			return "its home is " + strconv.Quote(home)
		}
		return ""
	}
	for module, home := range homes {
		if imported == module || strings.HasPrefix(imported, module+"/") {
			if allows(home, pkg) || test && allows(testHomes[module], pkg) {
				return ""
			}
			return "its home is " + home
		}
	}
	for _, module := range testModules {
		if test && strings.HasPrefix(imported, module) {
			return ""
		}
	}
	return "the library has no home in the table"
}

// allows reports whether a list of the tables has pkg.
func allows(list, pkg string) bool {
	return list == "all" || slices.Contains(strings.Fields(list), pkg)
}

// TestImportFaults shows that the tables refuse imports that they should
// refuse.
func TestImportFaults(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		test, refused bool
	}{
		{"lang", "infomall/lang/ast", false, false},
		{"lang", "infomall/store", false, true},
		{"store", "infomall/lang", false, true},
		{"store", "infomall/exec/value", true, true},
		{"exec", "go.etcd.io/bbolt", false, true},
		{"store/segment/indexfile", "go.etcd.io/bbolt", false, false},
		{"store/segment/indexfile", "go.etcd.io/bbolt/errors", false, false},
		{"repl", "github.com/chzyer/readline", false, true},
		{"store", "net/http", false, true},
		{"crawl", "net/http", false, true},
		{"crawl/fetch", "net/http", false, false},
		{"repl/serve", "net/http", false, false},
		{"repl", "net/http", false, true},
		{"repl", "github.com/creack/pty", true, false},
		{"repl", "github.com/creack/pty", false, true},
		{"store", "example.org/unknown", false, true},
		{"store", "net/netip", false, false},
	} {
		fault := importFault(c.pkg, c.imported, c.test)
		if got := fault != ""; got != c.refused {
			t.Errorf("%s importing %s (test %v): refused %v (%q), want %v", c.pkg, c.imported, c.test, got, fault, c.refused)
		}
	}
}
