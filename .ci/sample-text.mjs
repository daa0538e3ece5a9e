// Picks 100 comments, messages, test titles and identifiers at random: `node .ci/sample-text.mjs [--seed N] [--count N]`.
// Prints the seed, then a line for each: kind, place, text. The same seed and tree give the same lines.
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
  const add = (kind, start, text) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (plain !== '') found[kind].push({ file, line: source.slice(0, start).split('\n').length, text: plain });
  };
  const declare = (id) => id?.type === 'Identifier' && add('identifier', id.start, id.name);
  for (const { start, value } of comments) add('comment', start, value.replace(/^\s*\*+/gm, ''));
  new Visitor({
    VariableDeclarator: ({ id }) => declare(id),
    FunctionDeclaration: ({ id }) => declare(id),
    ClassDeclaration: ({ id }) => declare(id),
    TSInterfaceDeclaration: ({ id }) => declare(id),
    TSTypeAliasDeclaration: ({ id }) => declare(id),
    TSPropertySignature: ({ key }) => declare(key),
    CallExpression({ callee, arguments: [first] }) {
      if (
        isTest &&
        /^(it|test|describe)(\.(each|for|skip|only|skipIf|runIf|concurrent)\b.*)?$/s.test(
          source.slice(callee.start, callee.end),
        ) &&
        first
      )
        addText('title', first);
    },
    Literal(node) {
      if (!isTest && typeof node.value === 'string' && isSentence(node.value)) add('message', node.start, node.value);
    },
    TemplateLiteral(node) {
      if (!isTest && isSentence(node.quasis.map(({ value }) => value.raw).join(' '))) addText('message', node);
    },
  }).visit(program);

  function addText(kind, node) {
    if (typeof node.value === 'string') add(kind, node.start, node.value);
    else if (node.type === 'TemplateLiteral') add(kind, node.start, source.slice(node.start + 1, node.end - 1));
  }
}

/** At least three words of letters: no keys, selectors, SQL or markup. */
function isSentence(text) {
  return (
    /[a-z]+ [a-z]+ [a-z]+/i.test(text) &&
    !/[<>{};=]|^(select|insert|update|delete|with|create|alter)\b/i.test(text.trim())
  );
}
