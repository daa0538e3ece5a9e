/*
 * Re-typed as data from picosh/pico, pgs/calc_route_test.go (the candidates for a path, in order) and pgs/web_test.go.
 * Licence: MIT. Its canonical 301 is 307 here (S21).
 */
import type { Sketch } from '../visits.ts';
import type { Group } from './suite.ts';

const NO_PROXY = 'a rule never serves content of another origin (S30)';
const NO_CHAIN = 'a rewrite serves a page form instead of a redirect (S29)';

/** The candidates for a path in order: a file, and the response if it is the first that exists. */
type Candidate = [file: string, theirs: string] | [file: string, theirs: string, ours: string, why: string];

/** One group per candidate. In it, this candidate and the later ones exist. */
function order(title: string, asked: string, rules: Partial<Sketch>, candidates: Candidate[]): Group[] {
  return candidates.map(([file, ...answers], index) => ({
    title: `${title}: ${file}`,
    site: { ...rules, files: candidates.slice(index).map(([name]) => name) },
    cases: [answers.length === 1 ? [asked, answers[0]] : [asked, ...answers]],
  }));
}

export const pico: Group[] = [
  ...order('basic-index', '/index.html', {}, [
    ['index.html', '200 index.html'],
    ['index.html/index.html', '-> /index.html/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('basic-txt', '/index.txt', {}, [
    ['index.txt', '200 index.txt'],
    ['index.txt/index.html', '-> /index.txt/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('basic-named', '/wow.html', {}, [
    ['wow.html', '200 wow.html'],
    ['wow.html/index.html', '-> /wow.html/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('subdirectory-index', '/nice/index.html', {}, [
    ['nice/index.html', '200 nice/index.html'],
    ['nice/index.html/index.html', '-> /nice/index.html/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('subdirectory-named', '/nice/wow.html', {}, [
    ['nice/wow.html', '200 nice/wow.html'],
    ['nice/wow.html/index.html', '-> /nice/wow.html/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('subdirectory-bare', '/nice/', {}, [
    ['nice/index.html', '200 nice/index.html'],
    ['404.html', '404 404.html'],
  ]),
  ...order('trailing-slash', '/folder', {}, [
    ['folder', '200 folder'],
    ['folder.html', '200 folder.html'],
    ['folder/index.html', '-> /folder/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('spa', '/nice.html', { whenMissing: ['/* 200 /index.html'] }, [
    ['nice.html', '200 nice.html'],
    ['index.html', '200 index.html'],
    ['index.html/index.html', '-> /index.html/', '200 index.html/index.html', NO_CHAIN],
    ['404.html', '404 404.html'],
  ]),
  ...order('xml', '/index.xml', {}, [
    ['index.xml', '200 index.xml'],
    ['index.xml/index.html', '-> /index.xml/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('redirectRule', '/wow', { whenMissing: ['/wow 301 /index.html'] }, [
    ['wow', '200 wow'],
    ['wow.html', '200 wow.html'],
    ['wow/index.html', '301 /index.html', '-> /wow/', 'a folder is a page form, so it comes before the rule (S1)'],
    ['404.html', '301 /index.html'],
  ]),
  ...order('redirectToPico', '/tester1', { whenMissing: ['/tester1 301 https://pico.sh/'] }, [
    ['tester1', '200 tester1'],
    ['tester1.html', '200 tester1.html'],
    ['404.html', '301 https://pico.sh/'],
  ]),
  ...order('root', '/', {}, [
    ['index.html', '200 index.html'],
    ['404.html', '404 404.html'],
  ]),
  ...order('redirectToRoot', '/wow/', { whenMissing: ['/wow/ 301 /'] }, [
    ['wow/index.html', '200 wow/index.html'],
    ['404.html', '301 /'],
  ]),
  ...order('force', '/wow', { forced: ['/wow 301 /'] }, [
    ['wow', '301 /'],
    ['wow.html', '301 /'],
    ['404.html', '301 /'],
  ]),
  ...order('redirectFullUrl', '/wow.html', { whenMissing: ['/wow 301 https://pico.sh/'] }, [
    ['wow.html', '200 wow.html'],
    ['404.html', '301 https://pico.sh/', '404 404.html', 'a rule for /wow does not match /wow.html (S24)'],
  ]),
  ...order('redirectDirectory', '/xyz', { whenMissing: ['/xyz 301 /wrk-xyz'] }, [
    ['xyz', '200 xyz'],
    ['xyz.html', '200 xyz.html'],
    ['404.html', '301 /wrk-xyz'],
  ]),
  ...order('redirectSubDirectory', '/folder2', { whenMissing: ['/folder2 200 /folder'] }, [
    ['folder2', '200 folder2'],
    ['folder2.html', '200 folder2.html'],
    ['folder', '200 folder'],
    ['folder.html', '200 folder.html'],
    ['folder/index.html', '-> /folder/', '200 folder/index.html', NO_CHAIN],
    ['404.html', '404 404.html'],
  ]),
  ...order('redirectFromAndToSame', '/folder2', { whenMissing: ['/folder2 200 /folder2'] }, [
    ['folder2', '200 folder2'],
    ['folder2.html', '200 folder2.html'],
    ['folder2/index.html', '-> /folder2/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('redirectNoTrailingSlash', '/space/', { whenMissing: ['/space 301 /frontier/'] }, [
    ['space/index.html', '200 space/index.html'],
    ['404.html', '301 /frontier/'],
  ]),
  ...order('redirectWithTrailingSlash', '/space', { whenMissing: ['/space/ 301 /frontier/'] }, [
    ['space', '200 space'],
    ['space.html', '200 space.html'],
    ['404.html', '301 /frontier/'],
  ]),
  ...order('directoryWithExtension', '/space.nvim', {}, [
    ['space.nvim', '200 space.nvim'],
    ['space.nvim.html', '200 space.nvim.html'],
    ['space.nvim/index.html', '-> /space.nvim/'],
    ['404.html', '404 404.html'],
  ]),
  ...order('rewrite-to-site', '/', { whenMissing: ['/* 200 https://my-other-site.pgs.sh/:splat'] }, [
    ['index.html', '200 index.html'],
    ['404.html', '200 https://my-other-site.pgs.sh/', '404 404.html', NO_PROXY],
  ]),
  ...order('rewrite-to-site-subdir', '/plugin/nice/', { whenMissing: ['/* 200 https://my-other-site.pgs.sh/:splat'] }, [
    ['plugin/nice/index.html', '200 plugin/nice/index.html'],
    ['404.html', '200 https://my-other-site.pgs.sh/plugin/nice/', '404 404.html', NO_PROXY],
  ]),
  ...order('rewrite-placeholders', '/news/02/my-story', { whenMissing: ['/news/02/* 200 /blog/02/:splat'] }, [
    ['news/02/my-story', '200 news/02/my-story'],
    ['news/02/my-story.html', '200 news/02/my-story.html'],
    ['blog/02/my-story', '200 blog/02/my-story'],
    ['blog/02/my-story.html', '200 blog/02/my-story.html'],
    ['blog/02/my-story/index.html', '-> /blog/02/my-story/', '200 blog/02/my-story/index.html', NO_CHAIN],
    ['404.html', '404 404.html'],
  ]),
  {
    title: 'over HTTP: nothing there',
    site: { files: [] },
    cases: [['/anything', '404']],
  },
  {
    title: 'over HTTP: a redirect keeps the query',
    site: { files: ['about.html'], whenMissing: ['/anything 301 /about.html'] },
    cases: [
      ['/anything', '301 /about.html'],
      ['/anything?query=param', '301 /about.html?query=param'],
    ],
  },
  {
    title: 'over HTTP: a picture',
    site: { files: ['profile.jpg'] },
    cases: [['/profile.jpg', '200 profile.jpg']],
  },
];
