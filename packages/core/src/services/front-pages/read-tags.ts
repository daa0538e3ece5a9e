// cspell:ignore oncdata oncomment ondeclaration onprocessinginstruction onopentagname onopentagend onselfclosingtag onclosetag ontextentity onattribname onattribdata onattribentity onattribend ontext
import { Tokenizer } from 'htmlparser2';

/** Receives the parts of a document in order. */
export interface TagHandler {
  /** @param attributes The decoded attributes; the first of those with the same name. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  /** Also called for an element without an end tag, such as `<path/>`, in XML. */
  close(name: string): void;
  /** @param text A part of a text, decoded. */
  text(text: string): void;
}

/**
 * Reads the tags and texts of an HTML or XML document, without building a tree, so that time and memory are linear in its
 * length. Never fails: a malformed document has fewer tags.
 *
 * @param xml True for XML. Names are then case-sensitive; otherwise they are in lower case.
 */
export function readTags(document: string, { xml }: { xml: boolean }, handler: TagHandler): void {
  const nameAt = (start: number, end: number) =>
    xml ? document.slice(start, end) : document.slice(start, end).toLowerCase();
  let tag = '';
  let attribute = '';
  let value = '';
  let attributes = new Map<string, string>();
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: xml, decodeEntities: true, recognizeSelfClosing: xml },
    {
      onopentagname(start, end) {
        tag = nameAt(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = nameAt(start, end);
        value = '';
      },
      onattribdata: (start, end) => void (value += document.slice(start, end)),
      onattribentity: (codePoint) => void (value += String.fromCodePoint(codePoint)),
      onattribend() {
        if (!attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: () => handler.open(tag, attributes),
      onselfclosingtag() {
        handler.open(tag, attributes);
        handler.close(tag);
      },
      onclosetag: (start, end) => handler.close(nameAt(start, end)),
      ontext: (start, end) => handler.text(document.slice(start, end)),
      ontextentity: (codePoint) => handler.text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, offset) => handler.text(document.slice(start, end - offset)),
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(document);
  tokenizer.end();
}
