import type { VisitorTexts } from './texts.ts';

export const ENGLISH: VisitorTexts = {
  pages: {
    'unknown-address': {
      title: 'There is nothing at this address',
      text: [
        'The address may have a typo, or the site has moved or expired. If you got this link from someone, ask them for a new one.',
      ],
    },
    'unknown-page': {
      title: 'This page could not be found',
      text: [
        'The site exists, but it has no page at this address. The address may have a typo, or the page has moved.',
      ],
      link: 'Go to the front page',
    },
    'no-front-page': {
      title: 'This site has no front page',
      text: ['The site was published without an index.html in its root folder. Other pages of it may work.'],
    },
    expired: {
      title: 'This site has expired',
      text: [
        'It was published for a limited time, which has ended. If you got this link from someone, ask them to publish the site again.',
      ],
    },
    paused: {
      title: 'This site is paused',
      text: [
        'The owner must resolve a matter with the service that hosts the site. No content is lost, and the site will return to this address.',
      ],
    },
    'taken-down': {
      title: 'This site has been taken down',
      text: [
        'The operator of this service made the site unavailable, because of a complaint or a legal demand. If the site is yours, contact the operator.',
      ],
    },
    'needs-https': {
      title: 'This site opens over https only',
      text: [
        'The site is protected by a password. This address uses plain http, which would expose the password, so you cannot enter it here.',
        'If you operate this service, serve it over https. On a trusted network, you can set ALLOW_INSECURE to open protected sites over http too.',
      ],
    },
    malformed: {
      title: 'This address could not be read',
      text: ['The address is malformed. Check it for a stray character, such as a single %.'],
    },
    fault: {
      title: 'Something went wrong on our side',
      text: ['The page could not be sent. Please try again in a moment.'],
    },
    away: {
      title: 'This site cannot be reached right now',
      text: ['The service is busy or just starting. Please try again in a moment.'],
    },
  },
  unknownServicePage: {
    title: 'This page could not be found',
    text: ['The address may have a typo, or the page has moved.'],
    link: 'Go to the front page',
  },
  reportAbuse: 'Report abuse',
  reportRequest: 'If this happens again, send this number to the operator of the service:',
  unlock: {
    title: 'This site is protected by a password',
    errorPrefix: 'Error: ',
    intro: 'Enter the password that its owner gave you.',
    passwordLabel: 'Password',
    submit: 'Open the site',
    wrong: 'The password is incorrect. Check it and enter it again.',
    foreign: 'The password was sent from a page of another site. Enter it here instead.',
    unreadable: 'The form could not be read. Enter the password again.',
    tooMany: (duration) => `Too many attempts. You can try again in ${duration}.`,
    busy: (duration) => `The service is busy right now. Try again in ${duration}.`,
  },
};
