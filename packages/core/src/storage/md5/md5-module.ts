/**
 * The code of a WebAssembly module that computes the MD5 of several messages at once. A vector of WebAssembly has four numbers of 32
 * bits, so one instruction does the same step of four messages. Two vectors take turns, because each step of MD5 needs the result of
 * the step before it.
 *
 * The module imports its memory as `host.memory`, and exports `run(...messages, blocks)`: the addresses of the next block of each
 * message, and how many blocks of each to process. The state of the messages is at the beginning of the memory, see {@link stateAt}.
 */

const LANES_PER_VECTOR = 4;
const VECTORS = 2;
/** The number of messages that are processed at once. */
export const LANES = LANES_PER_VECTOR * VECTORS;
/** The size of a block of MD5. Source: RFC 1321 §3.4. */
export const BLOCK_BYTES = 64;
const WORD_BYTES = 4;
const VECTOR_BYTES = LANES_PER_VECTOR * WORD_BYTES;
const STATE_WORDS = 4;
/** The size of the state of all messages. */
export const STATE_BYTES = VECTORS * STATE_WORDS * VECTOR_BYTES;

/** Returns the address at which a word of a message's state is stored. */
export function stateAt(lane: number, word: number): number {
  const vector = Math.floor(lane / LANES_PER_VECTOR);
  return (vector * STATE_WORDS + word) * VECTOR_BYTES + (lane % LANES_PER_VECTOR) * WORD_BYTES;
}

/** Bytes of the binary format, nested. An expression leaves its value on the stack. */
type Code = readonly (number | Code)[];

const I32 = 0x7f;
const V128 = 0x7b;
const BODY_END = 0x0b;
/** The exponent of the alignment that an access of the memory promises: a block may begin at any multiple of 4 bytes. */
const WORD_ALIGNMENT = 2;

const localGet = (index: number): Code => [0x20, unsigned(index)];
const localSet = (index: number, value: Code): Code => [value, 0x21, unsigned(index)];
const i32Const = (value: number): Code => [0x41, signed(value)];
const i32Add = (a: Code, b: Code): Code => [a, b, 0x6a];
/** Repeats the instructions while the condition, which follows them, is not 0. */
const repeatWhile = (instructions: Code, condition: Code): Code => [
  [0x03, 0x40, instructions],
  [condition, 0x0d, 0x00, BODY_END],
];
const vectorOperation = (opcode: number, operands: Code, immediate: Code = []): Code => [
  operands,
  [0xfd, unsigned(opcode), immediate],
];
const load = (address: Code, offset: number): Code =>
  vectorOperation(0x00, address, [WORD_ALIGNMENT, unsigned(offset)]);
const store = (address: Code, offset: number, value: Code): Code =>
  vectorOperation(0x0b, [address, value], [WORD_ALIGNMENT, unsigned(offset)]);
/** A vector whose four numbers are all the given one. */
const repeated = (number: number): Code =>
  vectorOperation(
    0x0c,
    [],
    Array.from({ length: VECTOR_BYTES }, (_, i) => (number >>> ((i % WORD_BYTES) * 8)) & 0xff),
  );
const add = (a: Code, b: Code): Code => vectorOperation(0xae, [a, b]);
const or = (a: Code, b: Code): Code => vectorOperation(0x50, [a, b]);
const xor = (a: Code, b: Code): Code => vectorOperation(0x51, [a, b]);
const not = (a: Code): Code => vectorOperation(0x4d, a);
/** Takes the bits of `a` where the mask has ones, and those of `b` elsewhere. */
const select = (a: Code, b: Code, mask: Code): Code => vectorOperation(0x52, [a, b, mask]);
const shiftLeft = (value: Code, bits: number): Code => vectorOperation(0xab, [value, i32Const(bits)]);
const shiftRight = (value: Code, bits: number): Code => vectorOperation(0xad, [value, i32Const(bits)]);
/** Makes a vector of four numbers, by their positions: 0 to 3 in `a`, and 4 to 7 in `b`. */
const pick = (a: Code, b: Code, positions: readonly [number, number, number, number]): Code =>
  vectorOperation(
    0x0d,
    [a, b],
    positions.flatMap((position) => [0, 1, 2, 3].map((byte) => position * WORD_BYTES + byte)),
  );

/** The local variables, by their index: the parameters come first. */
const FIRST_MESSAGE = 0;
const BLOCK_COUNT = LANES;
const FIRST_VECTOR = LANES + 1;
const WORDS_PER_BLOCK = BLOCK_BYTES / WORD_BYTES;
/** Each vector of messages has its state, the state before the block, and the words of the block. */
const LOCALS_PER_VECTOR = STATE_WORDS * 2 + WORDS_PER_BLOCK;
const stateOf = (vector: number, word: number) => FIRST_VECTOR + vector * LOCALS_PER_VECTOR + word;
const earlierStateOf = (vector: number, word: number) => stateOf(vector, STATE_WORDS + word);
const wordOf = (vector: number, word: number) => stateOf(vector, STATE_WORDS * 2 + word);
const FIRST_TEMPORARY = stateOf(VECTORS, 0);
const TEMPORARIES = 8;

/** Loads four words of four messages, and transposes them: each of the four vectors then has one word of all messages. */
function loadWords(vector: number, firstWord: number): Code {
  const temporary = (i: number) => localGet(FIRST_TEMPORARY + i);
  const rows = [0, 1, 2, 3].map((i) => {
    const message = localGet(FIRST_MESSAGE + vector * LANES_PER_VECTOR + i);
    return localSet(FIRST_TEMPORARY + i, load(message, firstWord * WORD_BYTES));
  });
  const [low, high] = [[0, 4, 1, 5] as const, [2, 6, 3, 7] as const];
  const pairs = [
    pick(temporary(0), temporary(1), low),
    pick(temporary(0), temporary(1), high),
    pick(temporary(2), temporary(3), low),
    pick(temporary(2), temporary(3), high),
  ].map((pair, i) => localSet(FIRST_TEMPORARY + 4 + i, pair));
  const words = [
    pick(temporary(4), temporary(6), [0, 1, 4, 5]),
    pick(temporary(4), temporary(6), [2, 3, 6, 7]),
    pick(temporary(5), temporary(7), [0, 1, 4, 5]),
    pick(temporary(5), temporary(7), [2, 3, 6, 7]),
  ].map((word, i) => localSet(wordOf(vector, firstWord + i), word));
  return [rows, pairs, words];
}

/** For each of the four rounds of MD5: its function, which word its step `i` takes, and its rotations. Source: RFC 1321 §3.4. */
const ROUNDS: readonly {
  mix: (b: Code, c: Code, d: Code) => Code;
  wordOfStep: (i: number) => number;
  rotations: readonly [number, number, number, number];
}[] = [
  { mix: (b, c, d) => select(c, d, b), wordOfStep: (i) => i, rotations: [7, 12, 17, 22] },
  { mix: (b, c, d) => select(b, c, d), wordOfStep: (i) => 5 * i + 1, rotations: [5, 9, 14, 20] },
  { mix: (b, c, d) => xor(xor(b, c), d), wordOfStep: (i) => 3 * i + 5, rotations: [4, 11, 16, 23] },
  { mix: (b, c, d) => xor(c, or(b, not(d))), wordOfStep: (i) => 7 * i, rotations: [6, 10, 15, 21] },
];
const STEPS_PER_ROUND = 16;

/** One step of one vector of messages: `a = b + rotate(a + mix(b, c, d) + word + constant)`. Source: RFC 1321 §3.4. */
function step(vector: number, number: number): Code {
  const { mix, wordOfStep, rotations } = ROUNDS[Math.floor(number / STEPS_PER_ROUND)]!;
  // The variables change their roles with each step, instead of their values.
  const [a, b, c, d] = [0, 1, 2, 3].map((role) => stateOf(vector, (role + 3 * number) % STATE_WORDS)) as Quadruple;
  const constant = repeated(Math.floor(Math.abs(Math.sin(number + 1)) * 2 ** 32));
  const word = localGet(wordOf(vector, wordOfStep(number) % WORDS_PER_BLOCK));
  const sum = add(add(add(localGet(a), word), constant), mix(localGet(b), localGet(c), localGet(d)));
  const bits = rotations[number % rotations.length]!;
  const rotated = or(
    shiftLeft(localGet(FIRST_TEMPORARY), bits),
    shiftRight(localGet(FIRST_TEMPORARY), WORD_BYTES * 8 - bits),
  );
  return [localSet(FIRST_TEMPORARY, sum), localSet(a, add(rotated, localGet(b)))];
}

type Quadruple = [number, number, number, number];

function body(): Code {
  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const vectors = range(VECTORS);
  const ofEachStateWord = (code: (vector: number, word: number) => Code): Code =>
    vectors.map((vector) => range(STATE_WORDS).map((word) => code(vector, word)));
  const address = (vector: number, word: number) => stateAt(vector * LANES_PER_VECTOR, word);
  const block: Code = [
    ofEachStateWord((vector, word) => localSet(earlierStateOf(vector, word), localGet(stateOf(vector, word)))),
    vectors.map((vector) => [0, 4, 8, 12].map((firstWord) => loadWords(vector, firstWord))),
    range(ROUNDS.length * STEPS_PER_ROUND).map((number) => vectors.map((vector) => step(vector, number))),
    ofEachStateWord((vector, word) =>
      localSet(stateOf(vector, word), add(localGet(stateOf(vector, word)), localGet(earlierStateOf(vector, word)))),
    ),
    range(LANES).map((lane) =>
      localSet(FIRST_MESSAGE + lane, i32Add(localGet(FIRST_MESSAGE + lane), i32Const(BLOCK_BYTES))),
    ),
    localSet(BLOCK_COUNT, i32Add(localGet(BLOCK_COUNT), i32Const(-1))),
  ];
  return [
    ofEachStateWord((vector, word) => localSet(stateOf(vector, word), load(i32Const(0), address(vector, word)))),
    repeatWhile(block, localGet(BLOCK_COUNT)),
    ofEachStateWord((vector, word) => store(i32Const(0), address(vector, word), localGet(stateOf(vector, word)))),
  ];
}

/** Returns the module in the binary format of WebAssembly. */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const parameters = Array.from({ length: LANES + 1 }, () => I32);
  const localVectors = VECTORS * LOCALS_PER_VECTOR + TEMPORARIES;
  const functionBody = [list([[unsigned(localVectors), V128]]), body(), BODY_END];
  return Uint8Array.from(
    flatten([
      [0x00, text('asm'), 0x01, 0x00, 0x00, 0x00],
      section(1, list([[0x60, list(parameters), list([])]])),
      section(2, list([[name('host'), name('memory'), 0x02, 0x00, unsigned(1)]])),
      section(3, list([unsigned(0)])),
      section(7, list([[name('run'), 0x00, unsigned(0)]])),
      section(10, list([withLength(functionBody)])),
    ]),
  );
}

const section = (id: number, content: Code): Code => [id, withLength(content)];
const list = (items: Code): Code => [unsigned(items.length), items];
const text = (characters: string): Code => [...Buffer.from(characters)];
const name = (characters: string): Code => list(text(characters));

function withLength(content: Code): Code {
  const bytes = flatten(content);
  return [unsigned(bytes.length), bytes];
}

function flatten(code: Code, bytes: number[] = []): number[] {
  for (const part of code)
    if (typeof part === 'number') bytes.push(part);
    else flatten(part, bytes);
  return bytes;
}

/** Encodes a number that is not negative (unsigned LEB128). */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

/** Encodes a number of 32 bits (signed LEB128). */
function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, signed(value >> 7)];
}
