// Picks 100 comments, messages, test titles and identifiers at random: `node .ci/sample-text.mjs [--seed N] [--count N]`.
// Prints the seed, then a line for each: kind, place, text. The same seed and tree give the same lines.
// A title is printed as vitest prints it, after the titles of its `describe` blocks; an identifier with the line that declares it.
import { execFileSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'oxc-parser';

const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string', default: '100' } } });
const seed = values.seed ?? String(randomInt(1_000_000));
const files = execFileSync(
  'git',
  ['ls-files', ':(glob)apps/**/*.ts', ':(glob)apps/**/*.tsx', ':(glob)packages/**/*.ts', ':(glob)bench/**/*.ts'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter(Boolean);

const found = { comment: [], message: [], title: [], identifier: [] };
for (const file of files) collect(file);

const count = Number(values.count);
const kinds = Object.keys(found);
process.stdout.write(`seed ${seed}\n`);
for (const [i, kind] of kinds.entries()) {
  const share = Math.floor(count / kinds.length) + (i < count % kinds.length ? 1 : 0);
  const ranked = found[kind].map((entry) => ({ ...entry, rank: rankOf(kind, entry) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  for (const { file, line, text } of ranked.slice(0, share))
    process.stdout.write(`${kind}\t${file}:${line}\t${text}\n`);
}

function rankOf(kind, { file, line, text }) {
  return createHash('sha256').update([seed, kind, file, line, text].join('\0')).digest('hex');
}

function collect(file) {
  const source = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, source);
  const isTest = /(^|\/)test\//.test(file);
  const hasMessages = !isTest && !/\/(id-words|media-types|provider-table)\.ts$/.test(file);
  const describes = [];
  const classNames = new Set();
  const add = (kind, start, text) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (plain !== '') found[kind].push({ file, line: source.slice(0, start).split('\n').length, text: plain });
  };
  const declare = (id) => {
    if (id?.type !== 'Identifier') return;
    const line = source
      .slice(source.lastIndexOf('\n', id.start) + 1)
      .split('\n', 1)[0]
      .trim();
    add('identifier', id.start, `${id.name}: ${line}`);
  };
  for (const { start, value } of comments) add('comment', start, value.replace(/^\s*\*+/gm, ''));
  new Visitor({
    VariableDeclarator: ({ id }) => declare(id),
    FunctionDeclaration: ({ id }) => declare(id),
    ClassDeclaration: ({ id }) => declare(id),
    TSInterfaceDeclaration: ({ id }) => declare(id),
    TSTypeAliasDeclaration: ({ id }) => declare(id),
    TSPropertySignature: ({ key }) => declare(key),
    CallExpression(node) {
      const title = isTest ? titleOf(node) : null;
      if (title === null) return;
      if (sourceOf(node.callee).startsWith('describe')) describes.push({ end: node.end, title });
      else addTitle(node, title);
    },
    JSXAttribute({ name, value }) {
      if (name.name === 'className' && value) classNames.add(value.start);
    },
    Literal({ value, start }) {
      if (hasMessages && !classNames.has(start) && typeof value === 'string' && isSentence(value))
        add('message', start, value);
    },
    TemplateLiteral(node) {
      if (hasMessages && isSentence(node.quasis.map(({ value }) => value.raw).join(' ')))
        add('message', node.start, sourceOf(node).slice(1, -1));
    },
  }).visit(program);

  function sourceOf({ start, end }) {
    return source.slice(start, end);
  }

  function titleOf({ callee, arguments: [first] }) {
    if (!/^(it|test|describe)(\.(each|for|skip|only|skipIf|runIf|concurrent)\b.*)?$/s.test(sourceOf(callee)))
      return null;
    if (typeof first?.value === 'string') return first.value;
    return first?.type === 'TemplateLiteral' ? sourceOf(first).slice(1, -1) : null;
  }

  function addTitle({ start }, title) {
    const around = describes.filter(({ end }) => end > start);
    add('title', start, [...around.map((block) => block.title), title].join(' > '));
  }
}

/** At least three words of letters: no keys, selectors, SQL or markup. */
function isSentence(text) {
  return (
    /[a-z]+ [a-z]+ [a-z]+/i.test(text) &&
    !/[<>{};=]|^(select|insert|update|delete|with|create|alter)\b/i.test(text.trim()) &&
    !/\b(on conflict|savepoint|is distinct from|as materialized)\b|^[\w.]+ as \w+$|^drop (database|function)\b/.test(
      text,
    )
  );
}
