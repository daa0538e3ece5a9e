import { type Check, finding, note } from './checks.ts';

/** Checks whether the tables are those that this program expects. */
export const schema: Check = {
  name: 'schema',
  title: 'Schema of the database',
  async *run({ database }) {
    const { installed, known } = await database.schema();
    if (installed > known) {
      yield note(
        `The database has schema ${installed} of a newer Berth that works with this one, which knows schema ${known}.`,
      );
      return;
    }
    const differences = (await database.schemaDrift()).split('\n').filter((line) => line !== '');
    if (differences.length > 0)
      yield finding(
        'advice',
        `The tables differ from schema ${installed}. These statements would make them equal: ${differences.join(' ')}`,
      );
  },
};
