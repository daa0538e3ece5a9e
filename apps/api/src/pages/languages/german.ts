import type { VisitorTexts } from './texts.ts';

// cspell:disable

export const GERMAN: VisitorTexts = {
  pages: {
    'unknown-address': {
      title: 'Unter dieser Adresse gibt es nichts',
      text: [
        'Vielleicht enthält die Adresse einen Tippfehler, oder die Website ist umgezogen oder abgelaufen. Wenn Sie diesen Link von jemandem bekommen haben, bitten Sie um einen neuen.',
      ],
    },
    'unknown-page': {
      title: 'Diese Seite wurde nicht gefunden',
      text: [
        'Die Website gibt es, aber unter dieser Adresse hat sie keine Seite. Vielleicht enthält die Adresse einen Tippfehler, oder die Seite ist umgezogen.',
      ],
      link: 'Zur Startseite',
    },
    'no-front-page': {
      title: 'Diese Website hat keine Startseite',
      text: [
        'Sie wurde ohne eine Datei index.html im obersten Ordner veröffentlicht. Ihre anderen Seiten sind vielleicht erreichbar.',
      ],
    },
    expired: {
      title: 'Diese Website ist abgelaufen',
      text: [
        'Sie wurde für begrenzte Zeit veröffentlicht, und diese Zeit ist vorbei. Wenn Sie diesen Link von jemandem bekommen haben, bitten Sie darum, die Website erneut zu veröffentlichen.',
      ],
    },
    paused: {
      title: 'Diese Website pausiert',
      text: [
        'Der Inhaber muss zuerst etwas mit dem Dienst klären, der die Website bereitstellt. Es geht nichts verloren, und die Website wird unter dieser Adresse wieder erscheinen.',
      ],
    },
    'taken-down': {
      title: 'Diese Website wurde gesperrt',
      text: [
        'Der Betreiber dieses Dienstes hat die Website wegen einer Beschwerde oder aus rechtlichen Gründen gesperrt. Wenn es Ihre Website ist, wenden Sie sich an den Betreiber.',
      ],
    },
    'needs-https': {
      title: 'Diese Website öffnet sich nur über https',
      text: [
        'Die Website ist durch ein Passwort geschützt. Diese Adresse verwendet unverschlüsseltes http, sodass andere das Passwort mitlesen könnten. Deshalb können Sie es hier nicht eingeben.',
        'Wenn Sie diesen Dienst betreiben, stellen Sie ihn über https bereit. In einem vertrauenswürdigen Netz können Sie ALLOW_INSECURE setzen, um geschützte Websites auch über http zu öffnen.',
      ],
    },
    malformed: {
      title: 'Diese Adresse ist nicht lesbar',
      text: ['Die Adresse ist fehlerhaft. Prüfen Sie, ob sie ein überflüssiges Zeichen enthält, etwa ein einzelnes %.'],
    },
    fault: {
      title: 'Bei uns ist etwas schiefgegangen',
      text: ['Die Seite konnte nicht gesendet werden. Bitte versuchen Sie es gleich noch einmal.'],
    },
    away: {
      title: 'Diese Website ist gerade nicht erreichbar',
      text: ['Der Dienst ist ausgelastet oder startet gerade. Bitte versuchen Sie es gleich noch einmal.'],
    },
  },
  unknownServicePage: {
    title: 'Diese Seite wurde nicht gefunden',
    text: ['Vielleicht enthält die Adresse einen Tippfehler, oder die Seite ist umgezogen.'],
    link: 'Zur Startseite',
  },
  reportAbuse: 'Missbrauch melden',
  reportRequest: 'Wenn das wieder passiert, schicken Sie dem Betreiber des Dienstes diese Nummer:',
  unlock: {
    title: 'Diese Website ist durch ein Passwort geschützt',
    errorPrefix: 'Fehler: ',
    intro: 'Geben Sie das Passwort ein, das Sie vom Inhaber bekommen haben.',
    passwordLabel: 'Passwort',
    submit: 'Website öffnen',
    wrong: 'Das Passwort ist falsch. Prüfen Sie es und geben Sie es noch einmal ein.',
    foreign: 'Das Passwort wurde von der Seite einer anderen Website gesendet. Geben Sie es stattdessen hier ein.',
    unreadable: 'Das Formular konnte nicht gelesen werden. Geben Sie das Passwort noch einmal ein.',
    tooMany: (duration) => `Zu viele Versuche. Sie können es in ${duration} wieder versuchen.`,
    busy: (duration) => `Der Dienst ist gerade ausgelastet. Versuchen Sie es in ${duration} noch einmal.`,
  },
};
