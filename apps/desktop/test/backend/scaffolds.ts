import type { Contents } from '../harness/app/folders.ts';

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** The files that decide how a new project is built, as the scaffolding tools of the frameworks write them. */
export const SCAFFOLDS = {
  /** `npm create vite@9.3.0 -- --template vanilla`. */
  vite: {
    'package.json': json({
      name: 'v',
      version: '0.0.0',
      private: true,
      type: 'module',
      scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
      devDependencies: { vite: '^8.3.4' },
    }),
    'index.html': `<!doctype html>
<html lang="en">
  <head>
    <title>v</title>
  </head>
  <body>
    <div id="app"></div>
    <script type="module" src="/src/main.js"></script>
  </body>
</html>
`,
    'src/main.js': `document.querySelector('#app').innerHTML = '<h1>Get started</h1>'\n`,
    'public/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  },
  /** `npm create astro@latest -- --template minimal`. */
  astro: {
    'package.json': json({
      name: 'a',
      type: 'module',
      version: '0.0.1',
      scripts: { dev: 'astro dev', build: 'astro build', preview: 'astro preview', astro: 'astro' },
      dependencies: { astro: '^5.14.1' },
    }),
    'astro.config.mjs': `// @ts-check
import { defineConfig } from 'astro/config';

// https://astro.build/config
export default defineConfig({});
`,
    'src/pages/index.astro': '---\n---\n<html lang="en"><body><h1>Astro</h1></body></html>\n',
  },
  /** `npm install --save-dev @11ty/eleventy`, which adds no script. */
  eleventy: {
    'package.json': json({
      name: 'e',
      version: '1.0.0',
      main: 'index.js',
      scripts: { test: 'echo "Error: no test specified" && exit 1' },
      type: 'commonjs',
      devDependencies: { '@11ty/eleventy': '^3.1.8' },
    }),
    'index.md': '# Heading\n',
  },
  /** `npx create-next-app@latest`, with the setting for a static site. */
  next: {
    'package.json': json({
      name: 'n',
      version: '0.1.0',
      private: true,
      scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
      dependencies: { next: '16.4.3', react: '19.3.0', 'react-dom': '19.3.0' },
      devDependencies: { typescript: '^5' },
    }),
    'next.config.ts': `import type { NextConfig } from "next";

const nextConfig: NextConfig = {
  output: "export",
};

export default nextConfig;
`,
    'app/page.tsx': 'export default function Home() { return <h1>Next</h1>; }\n',
  },
} satisfies Record<string, Contents>;
