import type { Client } from 'pg';
import type { Core } from '../../core.ts';
import { CopyIn } from '../../database/copy.ts';
import type { BackupMember } from '../../storage/backup-file.ts';
import type { ContentSink } from '../../storage/pack-builder.ts';
import { type OpenPack, openPack } from '../packs/open-packs.ts';
import { contentRows, copyContentsTo } from '../packs/content-rows.ts';

const CONTENT_MEMBER = /^contents\/([0-9a-f]{64})\/(\d{8})$/;
/** A pack is sealed when it has this many bytes or contents, and another one begins. */
const PACK_BYTES = 64 * 1024 * 1024;
const PACK_CONTENTS = 20_000;

/** A pack that is durable. Nothing refers to it yet. */
export interface SealedPack {
  pack: OpenPack;
  sizeBytes: number;
}

/** Stores contents in new packs, and records their locations in the temporary table `imported_content`. */
export class ContentImporter {
  readonly #core: Core;
  readonly #session: Client;
  readonly #sealed: SealedPack[] = [];
  #pack: OpenPack | null = null;
  #packBytes = 0;
  #packContents = 0;
  #content: { sha256: string; sink: ContentSink; parts: number } | null = null;
  #damaged: string | null = null;

  constructor(core: Core, session: Client) {
    this.#core = core;
    this.#session = session;
  }

  /** Adds the next part of a content. */
  async add({ name, bytes }: BackupMember): Promise<void> {
    const [, sha256, part] = CONTENT_MEMBER.exec(name) ?? [];
    if (sha256 === undefined) throw new Error(`The member ${name} is not part of a content.`);
    if (this.#content?.sha256 !== sha256) await this.#begin(sha256);
    const content = this.#content!;
    content.parts += 1;
    if (Number(part) !== content.parts) throw new Error(`The member ${name} is out of order.`);
    await content.sink.write(bytes);
    this.#packBytes += bytes.length;
  }

  /** Seals the last pack. @returns All packs. */
  async finish(): Promise<readonly SealedPack[]> {
    await this.#seal();
    return this.#sealed;
  }

  /** Drops the packs that were not kept. */
  async close(): Promise<void> {
    await this.#pack?.close();
    for (const { pack } of this.#sealed) await pack.close();
  }

  async #begin(sha256: string): Promise<void> {
    this.#endContent();
    if (this.#packBytes >= PACK_BYTES || this.#packContents >= PACK_CONTENTS) await this.#seal();
    this.#pack ??= openPack(this.#core);
    const sink = this.#pack.begin((digest) => {
      if (digest.sha256 !== sha256) this.#damaged ??= sha256;
    });
    this.#content = { sha256, sink, parts: 0 };
    this.#packContents += 1;
  }

  #endContent(): void {
    this.#content?.sink.end();
    this.#content = null;
  }

  async #seal(): Promise<void> {
    this.#endContent();
    const pack = this.#pack;
    if (!pack) return;
    await pack.finish();
    if (this.#damaged) throw new Error(`The content ${this.#damaged} has another SHA-256 than its name.`);
    const { sizeBytes } = await pack.seal();
    this.#sealed.push({ pack, sizeBytes });
    this.#pack = null;
    this.#packBytes = 0;
    this.#packContents = 0;
    const copy = new CopyIn(this.#session, copyContentsTo('imported_content'));
    for (const rows of contentRows({ id: pack.id, contents: pack.contents(), index: pack.index() }))
      await copy.write(rows);
    await copy.end();
  }
}
