// Loaded before the server. When the server exits, prints the packages of OpenTelemetry and AWS that it has loaded.
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  load(url, context, nextLoad) {
    const [, name] =
      /\/(@(?:opentelemetry|aws-sdk)\/[\w-]+)\//.exec(url.slice(url.lastIndexOf('/node_modules/'))) ?? [];
    if (name !== undefined) loaded.add(name);
    return nextLoad(url, context);
  },
});
process.on('exit', () => process.stderr.write(`loaded: ${JSON.stringify([...loaded].toSorted())}\n`));
