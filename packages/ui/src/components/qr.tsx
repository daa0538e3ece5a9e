import { encode } from 'uqr';

/** The QR code of a link. */
export default function Qr({ url }: { url: string }) {
  const { data, size } = encode(url, { border: 2 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={`QR code of ${url}`}>
      <path d={path} fill="#000" />
    </svg>
  );
}
