package serve

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// languages are the languages of the pages, the default first.
var languages = []string{"en", "zh"}

// words has each text of the server's pages under a name. The texts of one name are in the
// order of languages: English, Chinese.
var words = map[string][2]string{
	"archive":       {"Web archive", "网页档案库"},
	"home":          {"Home", "首页"},
	"search":        {"Search", "检索"},
	"query":         {"Query", "查询"},
	"sites":         {"Sites", "网站"},
	"crawls":        {"Crawls", "抓取"},
	"calendar":      {"Calendar", "日历"},
	"page":          {"Page", "页面"},
	"as_list":       {"As a list", "列表"},
	"compared_with": {"Compared with", "对比版本"},
	"no_older":      {"There is no older version to compare with.", "没有更早的版本可供对比。"},
	"no_changes":    {"No block differs.", "内容块没有差异。"},
	"op_added":      {"added", "新增"},
	"op_edited":     {"edited", "修改"},
	"op_moved":      {"moved", "移动"},
	"op_removed":    {"removed", "删除"},
	"has_flash":     {"This page has Flash, which browsers no longer play; SET ruffle lets the server play it.", "本页含有 Flash，浏览器已不再支持；可用 SET ruffle 播放。"},
	"parts":         {"Parts", "组成部分"},
	"parts_found":   {"%d of %d in the archive", "档案库有 %d / %d"},
	"oldest":        {"oldest", "最早"},
	"newest":        {"newest", "最新"},
	"history":       {"History", "历史"},
	"changes":       {"What changed", "变化"},
	"blocks":        {"Blocks", "内容块"},
	"as_browser":    {"As the browser saw it", "浏览器所见"},
	"picture":       {"Picture", "截图"},
	"source":        {"Source", "源代码"},
	"document_text": {"Text of the document", "文档文本"},
	"document_file": {"The file itself", "原始文件"},
	"skip":          {"Skip to content", "跳到正文"},
	"asked":         {"How this was asked", "查询语句"},
	"run":           {"Run", "运行"},
	"go":            {"Go", "前往"},
	"box":           {"A URL, words, or a statement", "网址、词语或查询语句"},
	"home_about":    {"Type a URL to see its years, words to search all versions of all pages, or a statement of the query language.", "输入网址查看其历年版本，输入词语检索所有版本，或输入查询语句。"},
	"holds":         {"What the archive holds", "馆藏概况"},
	"captures":      {"Captures", "抓取次数"},
	"by_month":      {"Captures by month", "每月抓取次数"},
	"as_table":      {"As a table", "表格"},
	"month":         {"Month", "月份"},
	"span":          {"Span of time", "时间范围"},
	"empty_archive": {"The archive is empty. IMPORT or CRAWL fills it.", "档案库为空。可用 IMPORT 或 CRAWL 语句填充。"},
	"year":          {"Year", "年份"},
	"captures_of":   {"captures", "次抓取"},
	"first_last":    {"from %s to %s", "自 %s 至 %s"},
	"list":          {"List of versions", "版本列表"},
	"no_captures":   {"This URL was never captured: nobody has looked at it for this archive.", "该网址从未被抓取。"},
	"under":         {"Pages under this address", "该地址下的页面"},
	"time":          {"Time", "时间"},
	"kind":          {"Found", "结果"},
	"change":        {"Change", "变化"},
	"status":        {"Status", "状态码"},
	"legend":        {"Colours", "图例"},
	"key_first":     {"first capture", "首次抓取"},
	"key_changed":   {"content changed", "内容有变"},
	"key_layout":    {"only the markup changed", "仅版式有变"},
	"key_same":      {"no change", "无变化"},
	"key_gone":      {"gone", "消失"},
	"key_back":      {"came back", "恢复"},
	"key_error":     {"error", "错误"},
	"captured":      {"captured", "抓取于"},
	"asked_for":     {"asked for", "所求时间"},
	"latest":        {"latest", "最新"},
	"prev_version":  {"Previous version", "上一版本"},
	"next_version":  {"Next version", "下一版本"},
	"prev_change":   {"Previous change of content", "上一次内容变化"},
	"next_change":   {"Next change of content", "下一次内容变化"},
	"frame_title":   {"The archived page", "存档页面"},
	"note_never":    {"Never captured", "从未抓取"},
	"note_no_dom":   {"No browser saw this page", "没有浏览器打开过该页面"},
	"note_gone":     {"Gone at this time", "当时已不存在"},
	"note_bodyless": {"The body of this page is not in the archive", "档案库中没有该页面的内容"},
	"note_file":     {"A file", "文件"},
	"note_error":    {"This cannot be shown", "无法显示"},
	"never_about":   {"The archive has no capture of this address. That does not mean that the page did not exist: nobody looked.", "档案库没有抓取过该网址。这并不表示该网页不存在，只是没有抓取。"},
	"no_dom_about":  {"The archive has no document after load of this page. A crawl with RENDER makes one.", "档案库中没有该页面加载后的文档；使用 RENDER 的抓取会生成它。"},
	"gone_about":    {"At this time the server said that the page does not exist. These captures are nearest:", "当时服务器称该网页不存在。最近的抓取如下："},
	"bodyless_about": {"The capture refers to a body that was never added to this archive.",
		"该次抓取所引用的内容未收入本档案库。"},
	"file_about":    {"A browser does not show a file of this type here.", "浏览器无法在此显示这种文件。"},
	"see_calendar":  {"See all captures of this address", "查看该网址的全部抓取"},
	"scope":         {"In", "范围"},
	"from":          {"From", "自"},
	"to":            {"To", "至"},
	"words":         {"Words", "词语"},
	"found":         {"Found", "结果数"},
	"copies":        {"near-copies", "近似副本"},
	"by_host":       {"By host", "按主机"},
	"by_year":       {"By year", "按年份"},
	"by_label":      {"By place in the page", "按页面位置"},
	"next_page":     {"Next page", "下一页"},
	"prev_page":     {"Previous page", "上一页"},
	"nothing":       {"Nothing was found.", "没有结果。"},
	"statement":     {"Statement", "语句"},
	"saved":         {"Saved queries", "已存查询"},
	"rows":          {"rows", "行"},
	"row":           {"row", "行"},
	"rows_cut":      {"Only the first %d rows are shown. A download has all.", "仅显示前 %d 行，下载可得全部。"},
	"download":      {"Download", "下载"},
	"explain":       {"Explain", "执行计划"},
	"error":         {"Error", "错误"},
	"host":          {"Host", "主机"},
	"site_pages":    {"Pages that changed most", "变化最多的页面"},
	"site_months":   {"Versions by month", "每月新版本"},
	"site_gone":     {"Pages that are gone", "已消失的页面"},
	"all_hosts":     {"Hosts", "主机"},
	"open":          {"Open", "打开"},
	"workers":       {"Workers", "工作线程"},
	"crawl_hosts":   {"Hosts", "主机"},
	"alerts":        {"Alerts", "警报"},
	"last_errors":   {"Last errors", "最近的错误"},
	"traps":         {"Traps", "陷阱"},
	"outcomes":      {"Outcomes", "结果统计"},
	"why_not":       {"What each crawl decided about this URL", "各次抓取对该网址的决定"},
	"why_not_box":   {"Why was this URL fetched, or not?", "该网址为何（未）被抓取？"},
	"orders":        {"Orders", "指令"},
	"orders_note":   {"This server only reads. These statements, typed in the shell, steer the crawls.", "本服务器只读。在命令行中输入这些语句可控制抓取。"},
	"jobs":          {"Jobs", "任务"},
	"events":        {"Events", "事件"},
	"rankings":      {"Rankings", "事件列表"},
	"no_events":     {"No events were looked for yet. The statement EVENTS finds them.", "尚未查找事件。可用 EVENTS 语句查找。"},
	"order_scale":   {"the largest first", "按规模"},
	"order_time":    {"by time", "按时间"},
	"order_recency": {"the newest first", "最近的在前"},
	"schedules":     {"Schedules", "定时任务"},
	"running":       {"Running now", "正在运行"},
	"ended":         {"Ended", "已结束"},
	"chart":         {"Chart", "图表"},
	"completions":   {"Completions", "补全"},
	"live":          {"This page follows the crawls as they go on.", "本页随抓取进度更新。"},
	"older":         {"Older version", "旧版本"},
	"newer":         {"Newer version", "新版本"},
	"compare":       {"Compare", "比较"},
	"timemap":       {"TimeMap", "时间图 (TimeMap)"},
	"empty_result":  {"No rows.", "没有行。"},
}

// languageOf returns the language of the answer to r: that of the parameter lang,
// else the first one in Accept-Language that the pages have. chosen reports whether
// the parameter decided.
func languageOf(r *http.Request) (lang string, chosen bool) {
	if asked := r.URL.Query().Get("lang"); slices.Contains(languages, asked) && !strings.Contains(r.URL.Path, "//") {
		return asked, true
	}
	best, bestWeight := languages[0], 0.0
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, rest, _ := strings.Cut(strings.TrimSpace(part), ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(rest), "q="); ok {
			if n, err := strconv.ParseFloat(q, 64); err == nil {
				weight = n
			}
		}
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if slices.Contains(languages, primary) && weight > bestWeight {
			best, bestWeight = primary, weight
		}
	}
	return best, false
}

// word returns the text called name in a language.
func word(lang, name string) string {
	texts, ok := words[name]
	if !ok {
		panic("serve: no text " + name)
	}
	return texts[slices.Index(languages, lang)]
}
