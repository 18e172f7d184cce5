// A classic script of the login: after a failed attempt, the server answers with the same page at another address.
// The server remembers nothing before the login, so the browser remembers the page that was asked for.
const isAnswer = /^\/tasktube[a-z0-9-]*\/login$/.test(location.pathname);
if (!isAnswer) {
  sessionStorage.setItem('tasktube.next', location.pathname + location.search + location.hash);
}
document.addEventListener('submit', function sendOnce(event) {
  /** @type {HTMLFormElement} */ (event.target).querySelector('button').disabled = true;
});
document.addEventListener('DOMContentLoaded', function showFailure() {
  if (isAnswer) {
    const line = document.getElementById('wrong');
    line.hidden = false;
    line.textContent = 'The user name or the password is wrong, or the user has no role of TaskTube.';
    document.getElementById('user').setAttribute('aria-describedby', 'wrong');
    document.title = 'Sign in again · TaskTube';
  }
});
