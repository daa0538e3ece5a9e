const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // A credential is kept for as long as the page is open, and nowhere else.
  persistAuthorization: false,
  // The badge would ask a foreign service about this document.
  validatorUrl: null,
});
