# Writes one text in five languages as flat OpenDocument files: five.fodt, five.fods and
# five.fodp. LibreOffice 7.4 made five.doc, five.xls and five.ppt of them, which are the
# test data of the packages msdoc, msxls and msppt:
#   soffice --headless --convert-to 'doc:MS Word 97' five.fodt
#   soffice --headless --convert-to 'xls:MS Excel 97' five.fods
#   soffice --headless --convert-to 'ppt:MS PowerPoint 97' five.fodp
# Of five.ppt, the picture of the first slide in its property set was then cut away.
import html
T={
'en':('The lighthouse','Anna Weber',['The lighthouse stands on the northern rock of the island.','Ships have passed it every night since 1872, and its keeper wrote down each of them.','In winter the stairs are covered with ice; the lamp is never dark.'],[('Year','Ships','Storms'),('1901','214','17'),('1902','198','23')],'See the register of the harbour.','A footnote about the lamp.'),
'de':('Der Leuchtturm','Jörg Müller',['Der Leuchtturm steht auf dem nördlichen Felsen der Insel.','Seit 1872 fahren jede Nacht Schiffe vorbei, und der Wärter schrieb jedes auf.','Im Winter überzieht Eis die Stufen; die Lampe erlischt nie. Größe: 35 Meter, Gebühr 3 €.'],[('Jahr','Schiffe','Stürme'),('1901','214','17'),('1902','198','23')],'Siehe das Register des Hafens.','Eine Fußnote über die Lampe.'),
'zh':('灯塔','王小明',['灯塔矗立在海岛北边的岩石上。','自一八七二年以来，每夜都有船只经过，守塔人把它们一一记下。','冬天楼梯结满了冰，但灯从不熄灭。'],[('年份','船只','风暴'),('1901','214','17'),('1902','198','23')],'参见港口登记簿。','关于灯的脚注。'),
'ru':('Маяк','Иван Петров',['Маяк стоит на северной скале острова.','С 1872 года каждую ночь мимо него проходят корабли, и смотритель записывал каждый из них.','Зимой лестница покрыта льдом; лампа никогда не гаснет.'],[('Год','Корабли','Штормы'),('1901','214','17'),('1902','198','23')],'См. журнал порта.','Сноска о лампе.'),
'ja':('灯台','田中花子',['灯台は島の北の岩の上に立っています。','1872年から毎晩船が通り過ぎ、灯台守はその一隻一隻を書き留めました。','冬には階段が氷で覆われますが、ランプは決して消えません。'],[('年','船','嵐'),('1901','214','17'),('1902','198','23')],'港の記録簿を参照。','ランプについての脚注。'),
}
NS='xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" office:version="1.2"'
e=html.escape
def head(kind,title,author):
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {NS} office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:meta><dc:title>{e(title)}</dc:title><meta:initial-creator>{e(author)}</meta:initial-creator><dc:creator>{e(author)}</dc:creator><meta:creation-date>2008-03-14T09:26:53</meta:creation-date><dc:date>2009-01-02T03:04:05</dc:date><meta:keyword>lamp</meta:keyword><dc:description>About a lighthouse</dc:description></office:meta>'
def write(name,langs):
    title,author=T[langs[0]][:2]
    # text document: one page a language
    o=head('text',title,author)
    o+='<office:styles><style:style style:name="Standard" style:family="paragraph" style:class="text"/><style:style style:name="Heading" style:family="paragraph" style:parent-style-name="Standard" style:class="text"/><style:style style:name="Heading_20_1" style:display-name="Heading 1" style:family="paragraph" style:parent-style-name="Heading" style:default-outline-level="1" style:class="text"/></office:styles><office:automatic-styles><style:style style:name="B" style:family="paragraph" style:parent-style-name="Heading_20_1"><style:paragraph-properties fo:break-before="page"/></style:style><style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style></office:automatic-styles><office:body><office:text>'
    for i,l in enumerate(langs):
        t,a,ps,tb,link,note=T[l]
        o+=f'<text:h text:style-name="{"B" if i else "Heading_20_1"}" text:outline-level="1">{e(t)}</text:h>'
        for j,p in enumerate(ps):
            o+=f'<text:p>{e(p)}'+(f'<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>{e(note)}</text:p></text:note-body></text:note>' if j==1 else '')+(f'<text:span text:style-name="H">secret{l}</text:span>' if j==2 else '')+'</text:p>'
        o+='<table:table>'+f'<table:table-column table:number-columns-repeated="3"/>'
        for r in tb: o+='<table:table-row>'+''.join(f'<table:table-cell office:value-type="string"><text:p>{e(c)}</text:p></table:table-cell>' for c in r)+'</table:table-row>'
        o+=f'</table:table><text:p><text:a xlink:type="simple" xlink:href="http://harbour.example/{l}">{e(link)}</text:a></text:p>'
    open(name+'.fodt','w').write(o+'</office:text></office:body></office:document>')
    # workbook: one sheet a language
    o=head('spreadsheet',title,author)
    o+='<office:automatic-styles><number:date-style style:name="N1"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="D" style:family="table-cell" style:data-style-name="N1"/><style:style style:name="TH" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>'
    for l in langs:
        t,a,ps,tb,link,note=T[l]
        o+=f'<table:table table:name="{e(t)} {l}">'
        for p in [t]+ps: o+=f'<table:table-row><table:table-cell office:value-type="string"><text:p>{e(p)}</text:p></table:table-cell></table:table-row>'
        o+='<table:table-row><table:table-cell/></table:table-row>'
        for i,r in enumerate(tb):
            o+='<table:table-row>'+''.join((f'<table:table-cell office:value-type="float" office:value="{c}"><text:p>{c}</text:p></table:table-cell>' if i else f'<table:table-cell office:value-type="string"><text:p>{e(c)}</text:p></table:table-cell>') for c in r)+'</table:table-row>'
        o+='<table:table-row><table:table-cell table:formula="of:=SUM([.B7:.B8])" office:value-type="float" office:value="412"/><table:table-cell table:style-name="D" office:value-type="date" office:date-value="2008-03-14"/><table:table-cell office:value-type="float" office:value="0.125"/></table:table-row>'
        o+=f'<table:table-row><table:table-cell office:value-type="string"><office:annotation><dc:creator>x</dc:creator><text:p>{e(note)}</text:p></office:annotation><text:p><text:a xlink:href="http://harbour.example/{l}">{e(link)}</text:a></text:p></table:table-cell></table:table-row></table:table>'
    o+='<table:table table:name="hidden" table:style-name="TH"><table:table-row><table:table-cell office:value-type="string"><text:p>secret</text:p></table:table-cell></table:table-row></table:table>'
    open(name+'.fods','w').write(o+'</office:spreadsheet></office:body></office:document>')
    # presentation: one slide a language
    o=head('presentation',title,author)
    o+='<office:automatic-styles><style:page-layout style:name="PM"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="M" style:page-layout-name="PM"/></office:master-styles><office:body><office:presentation>'
    for l in langs:
        t,a,ps,tb,link,note=T[l]
        o+=f'<draw:page draw:name="{l}" draw:master-page-name="M"><draw:frame presentation:class="title" svg:width="20cm" svg:height="3cm" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>{e(t)}</text:p></draw:text-box></draw:frame><draw:frame presentation:class="outline" svg:width="20cm" svg:height="9cm" svg:x="1cm" svg:y="5cm"><draw:text-box>'+''.join(f'<text:p>{e(p)}</text:p>' for p in ps)+f'</draw:text-box></draw:frame><draw:frame svg:width="20cm" svg:height="3cm" svg:x="1cm" svg:y="15cm"><draw:text-box><text:p><text:a xlink:href="http://harbour.example/{l}">{e(link)}</text:a></text:p></draw:text-box></draw:frame><presentation:notes><draw:frame presentation:class="notes" svg:width="15cm" svg:height="9cm" svg:x="1cm" svg:y="15cm"><draw:text-box><text:p>{e(note)}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>'
    open(name+'.fodp','w').write(o+'</office:presentation></office:body></office:document>')
write('five',list(T))
