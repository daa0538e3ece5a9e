import type { CompressedBytes } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import type { Coding } from '@berth/serving';
import { type OpenPack, openPack } from '../packs/open-packs.ts';
import type { CompressedContent, CompressionTurn } from './record-forms.ts';

/** A pack of compressed forms. Its owner always ends it with `close`, and calls `keep` once rows refer to it. */
export interface FormsPack extends Pick<OpenPack, 'keep' | 'close'> {
  /** Adds the forms of a content; there may be none. */
  add(sha256: string, forms: CompressedBytes): Promise<void>;
  /** Makes the pack durable, unless it is empty. @throws if that fails; the pack is then lost. */
  seal(): Promise<Pick<CompressionTurn, 'contents' | 'pack'>>;
}

/** Opens a pack of forms. Its row and its file are created with the first form. */
export function openFormsPack(core: Core): FormsPack {
  const pack = openPack(core);
  /** The SHA-256 of each form, by content. */
  const added: { sha256: string; digests: Map<Coding, string> }[] = [];
  return {
    keep: pack.keep,
    close: pack.close,
    async add(sha256, forms) {
      const digests = new Map<Coding, string>();
      added.push({ sha256, digests });
      for (const [coding, bytes] of Object.entries(forms) as [Coding, Uint8Array][]) {
        const sink = pack.begin((digest) => void digests.set(coding, digest.sha256));
        await sink.write(bytes);
        sink.end();
      }
    },
    async seal() {
      await pack.finish();
      const places = new Map(pack.contents().map((place) => [place.sha256, place]));
      const contents = added.map(({ sha256, digests }): CompressedContent => {
        const forms = [...digests].map(([coding, digest]) => [coding, places.get(digest)!]);
        return { sha256, forms: Object.fromEntries(forms) };
      });
      return { contents, pack: places.size === 0 ? null : { id: pack.id, ...(await pack.seal()) } };
    },
  };
}
