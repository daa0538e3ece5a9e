import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startMailServer } from '@berth/testing/mail-server';
import { heading, median, OWN_TREE, scaledRounds, startBerth } from '../processes.ts';

const ROUNDS = scaledRounds(300);
const WARM_UP_ROUNDS = 20;
/** Lets the work that follows a response, such as sending the e-mail, end before the next request. */
const PAUSE_MS = 20;
const GOAL_MS = 2;
const WITH_PASSWORD = 'owner@localhost.test';
const WITHOUT_PASSWORD = 'ada@localhost.test';
const STRANGER = 'eve@localhost.test';

const execute = promisify(execFile);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

interface Reply {
  status: number;
  cookie: string;
}

/** Calls a procedure as a page of the console does. */
function call(port: number, procedure: string, input: object, cookie = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      Host: `localhost:${port}`,
      'Content-Type': 'application/json',
      'Sec-Fetch-Site': 'same-origin',
      ...(cookie && { Cookie: cookie }),
    };
    request({ host: '127.0.0.1', port, path: `/trpc/${procedure}`, method: 'POST', agent, headers }, (res) => {
      const [set = ''] = res.headers['set-cookie'] ?? [];
      res.resume().on('end', () => resolve({ status: res.statusCode!, cookie: set.split(';')[0]! }));
    })
      .on('error', reject)
      .end(JSON.stringify(input));
  });
}

/** Returns the times of a procedure for each address in milliseconds. In each round, the addresses come in a new random order. */
async function measure(
  port: number,
  procedure: string,
  status: number,
  inputs: Readonly<Record<string, (round: number) => object>>,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(inputs).map((name) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const order = Object.entries(inputs)
      .map((entry) => ({ entry, at: Math.random() }))
      .toSorted((a, b) => a.at - b.at);
    for (const {
      entry: [name, input],
    } of order) {
      const startedMs = performance.now();
      const reply = await call(port, procedure, input(round));
      const elapsedMs = performance.now() - startedMs;
      if (reply.status !== status) throw new Error(`${procedure} for ${name} answered ${reply.status}`);
      if (round >= 0) times[name]!.push(elapsedMs);
      await sleep(PAUSE_MS);
    }
  }
  return times;
}

function printRows(procedure: string, times: Readonly<Record<string, number[]>>): void {
  const medians = Object.entries(times).map(([name, values]) => ({ name, ms: median(values) }));
  const all = medians.map(({ ms }) => ms);
  const spread = Math.max(...all) - Math.min(...all);
  const columns = medians.map(({ name, ms }) => `${ms.toFixed(2)} ms (${name})`).join(', ');
  console.log(
    `| ${procedure} | ${columns} | ${spread.toFixed(2)} ms | within ${GOAL_MS} ms | ${spread <= GOAL_MS ? 'met' : 'MISSED'} |`,
  );
}

const mail = await startMailServer();
const berth = await startBerth({ OWNER_EMAIL: WITH_PASSWORD, SMTP_URL: mail.url });
try {
  const { port, dataDir } = berth;
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), OWNER_EMAIL: WITH_PASSWORD, LOG_LEVEL: 'warn' };
  const operate = async (...args: string[]) => {
    const { stdout } = await execute(process.execPath, [join(OWN_TREE, 'apps/api/src/operator/main.ts'), ...args], {
      env,
    });
    return stdout.trim();
  };
  await operate('accounts', 'create', WITHOUT_PASSWORD);
  const secret = new URL(await operate('sign-in')).hash.slice('#first='.length);
  const { cookie } = await call(port, 'signIn.useLink', { secret });
  const set = await call(port, 'person.setPassword', { password: 'correct horse battery' }, cookie);
  if (set.status !== 200) throw new Error(`person.setPassword answered ${set.status}`);

  console.log(heading(`medians of ${ROUNDS} requests for each address, in random order, one at a time.`));
  console.log('| procedure | medians | difference | goal | |\n|---|---|---|---|---|');
  // The memory accesses of argon2id, and so its time, depend on the password.
  const wrong = (email: string) => (round: number) => ({ email, password: `not the password ${round}` });
  const passwords = await measure(port, 'signIn.password', 401, {
    'with a password': wrong(WITH_PASSWORD),
    'without a password': wrong(WITHOUT_PASSWORD),
    unknown: wrong(STRANGER),
  });
  printRows('`signIn.password`', passwords);
  const codes = await measure(port, 'signIn.requestCode', 200, {
    known: () => ({ email: WITHOUT_PASSWORD }),
    unknown: () => ({ email: STRANGER }),
  });
  printRows('`signIn.requestCode`', codes);
  if (mail.received.length === 0) throw new Error('no code was sent');
} finally {
  agent.destroy();
  await berth.stop();
  await mail.close();
}
