interface MediaType {
  contentType: string;
  /** Whether the format benefits from compression. Responses with such a file vary by `Accept-Encoding`. Source: serving S48, S50. */
  compressible: boolean;
}

/** The sizes of files that are compressed, in bytes. Smaller files gain nothing, and larger files take too long. */
const COMPRESSED_SIZES = { min: 1024, max: 16 * 1024 * 1024 };

/** The types whose file extension is the name of the type without `x-` and `+xml`. */
const NAMED_LIKE_EXTENSION =
  'text/css text/csv text/vtt text/wgsl text/n3 application/importmap+json application/speculationrules+json ' +
  'application/x-ipynb+json application/toml application/wasm application/rss+xml application/atom+xml ' +
  'application/rdf+xml application/ttml+xml application/gpx+xml image/svg+xml image/png image/apng image/gif ' +
  'image/webp image/avif image/jxl image/heic image/heif image/bmp image/jp2 image/ktx2 image/ktx font/woff2 ' +
  'font/woff font/ttf font/otf audio/aac audio/flac audio/wav audio/x-caf video/webm video/x-flv model/gltf+json ' +
  'model/obj model/mtl model/stl model/3mf application/pdf application/rtf application/epub+zip application/zip ' +
  'application/x-tar application/x-xz application/cbor';

/** The file extensions of the types whose name is not their extension. */
const EXTENSIONS: Record<string, string> = {
  'text/html': 'html htm',
  'text/javascript': 'js mjs cjs jsx',
  'text/plain':
    'txt text log ini conf cfg properties diff patch rst adoc org tex bib asc md5 sha256 sha512 sh py rb rs go c h cpp hpp ' +
    'cs java kt swift lua sql tsx vue svelte scss sass less graphql proto glsl vert frag',
  'text/markdown': 'md markdown mdx',
  'text/tab-separated-values': 'tsv',
  'text/calendar': 'ics',
  'text/vcard': 'vcf vcard',
  'text/turtle': 'ttl',

  'application/json': 'json map topojson har',
  'application/manifest+json': 'webmanifest manifest',
  'application/ld+json': 'jsonld',
  'application/geo+json': 'geojson',
  'application/x-ndjson': 'jsonl ndjson',
  'application/yaml': 'yaml yml',

  'application/xml': 'xml xsd opml',
  'application/xhtml+xml': 'xhtml xht',
  'application/mathml+xml': 'mathml mml',
  'application/xslt+xml': 'xsl xslt',
  'application/opensearchdescription+xml': 'osdx',
  'application/dash+xml': 'mpd',
  'application/vnd.google-earth.kml+xml': 'kml',
  'application/vnd.recordare.musicxml+xml': 'musicxml',

  'image/jpeg': 'jpg jpeg jpe jfif',
  'image/x-icon': 'ico cur',
  'image/tiff': 'tif tiff',
  'image/aces': 'exr',
  'image/vnd.radiance': 'hdr',
  'image/vnd.ms-dds': 'dds',
  'image/vnd.djvu': 'djvu',
  'image/vnd.adobe.photoshop': 'psd',

  'font/collection': 'ttc otc',
  'application/vnd.ms-fontobject': 'eot',

  'audio/mpeg': 'mp3 mpga',
  'audio/mp4': 'm4a m4b cmfa',
  'audio/ogg': 'ogg oga opus spx',
  'audio/webm': 'weba',
  'audio/midi': 'mid midi',
  'audio/aiff': 'aif aiff',
  'audio/matroska': 'mka',
  'audio/x-mpegurl': 'm3u',

  'video/mp4': 'mp4 m4v mp4v cmfv',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov qt',
  'video/mpeg': 'mpeg mpg',
  'video/mp2t': 'ts m2ts',
  'video/iso.segment': 'm4s',
  'video/3gpp': '3gp',
  'video/matroska': 'mkv',
  'video/x-msvideo': 'avi',
  'application/vnd.apple.mpegurl': 'm3u8',
  'application/x-subrip': 'srt',

  'model/gltf-binary': 'glb',
  'model/vnd.usdz+zip': 'usdz',
  'model/vnd.collada+xml': 'dae',

  'application/postscript': 'ps eps',
  'application/x-mobipocket-ebook': 'mobi',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',

  'application/gzip': 'gz tgz',
  'application/zstd': 'zst',
  'application/x-bzip2': 'bz2',
  'application/x-7z-compressed': '7z',
  'application/vnd.rar': 'rar',
  'application/java-archive': 'jar',
  'application/vnd.android.package-archive': 'apk',
  'application/x-xpinstall': 'xpi',
  'application/x-apple-aspen-config': 'mobileconfig',
  'application/x-shockwave-flash': 'swf',

  'application/x-protobuf': 'pbf',
  'application/vnd.mapbox-vector-tile': 'mvt',
  'application/vnd.pmtiles': 'pmtiles',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.apache.arrow.file': 'arrow',
  'application/vnd.apache.arrow.stream': 'arrows',
  'application/vnd.sqlite3': 'sqlite sqlite3',
  'application/vnd.apple.pkpass': 'pkpass',
  'application/x-bittorrent': 'torrent',
};

const COMPRESSIBLE_TYPE =
  /^text\/|[/+](?:json|xml)$|^application\/(?:wasm|x-ndjson|vnd\.ms-fontobject)$|^font\/(?:ttf|otf|collection)$/;

const UNKNOWN_TYPE = mediaType('application/octet-stream');
const BY_EXTENSION: ReadonlyMap<string, MediaType> = new Map([
  ...NAMED_LIKE_EXTENSION.split(' ').map((type) => [/\/(?:x-)?([^+]+)/.exec(type)![1]!, mediaType(type)] as const),
  ...Object.entries(EXTENSIONS).flatMap(([type, extensions]) =>
    extensions.split(' ').map((extension) => [extension, mediaType(type)] as const),
  ),
]);
const BY_NAME: ReadonlyMap<string, MediaType> = new Map([
  ['apple-app-site-association', mediaType('application/json')],
]);

/**
 * Returns the media type of a file by its name: `application/octet-stream` without a known extension. Text types get
 * `charset=utf-8`. Source: serving S52, S51.
 */
export function mediaTypeOf(path: string): MediaType {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const knownType = dot < 0 ? BY_NAME.get(name) : BY_EXTENSION.get(name.slice(dot + 1).toLowerCase());
  return knownType ?? UNKNOWN_TYPE;
}

/** Whether the server compresses a file of this name and this size in bytes. Source: serving S48. */
export function isWorthCompressing(path: string, size: number): boolean {
  return size >= COMPRESSED_SIZES.min && size <= COMPRESSED_SIZES.max && mediaTypeOf(path).compressible;
}

function mediaType(type: string): MediaType {
  return {
    contentType: type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    compressible: COMPRESSIBLE_TYPE.test(type),
  };
}
