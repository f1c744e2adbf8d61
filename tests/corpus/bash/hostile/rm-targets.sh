exit 1 # corpus text, never to be run
#--- rm-root-plain [block]: the classic
rm -rf /
#--- rm-root-fr [block]: flags swapped
rm -fr /
#--- rm-root-split-flags [block]: flags apart
rm -r -f /
#--- rm-root-long-flags [block]: long flags
rm --recursive --force /
#--- rm-root-mixed-flags [block]: one long, one short
rm --recursive -f /
#--- rm-root-short-then-long [block]: short recursive, long force
rm -R --force /
#--- rm-root-abbreviated-long [block]: GNU abbreviated long options
rm --recur --forc /
#--- rm-root-upper-r [block]: capital R
rm -Rf /
#--- rm-root-verbose-bundle [block]: verbose in the bundle
rm -vrf /
#--- rm-root-bundle-with-d [block]: extra letters in the bundle
rm -dfRv /
#--- rm-root-flags-last [block]: flags after the operand
rm / -rf
#--- rm-root-flags-around [block]: flags on both sides of the operand
rm -r / -f
#--- rm-root-double-dash [block]: end of options, then root
rm -rf -- /
#--- rm-root-no-preserve [block]: the guard of GNU rm switched off
rm -rf --no-preserve-root /
#--- rm-root-no-preserve-last [block]: the guard switched off at the end
rm -r / --force --no-preserve-root
#--- rm-root-interactive-never [block]: force by another name
rm -r --interactive=never --no-preserve-root /
#--- rm-root-double-slash [block]: root as two slashes
rm -rf //
#--- rm-root-dot [block]: root with a dot
rm -rf /.
#--- rm-root-by-parent [block]: root through a parent step
rm -rf /usr/..
#--- rm-root-by-tmp-parent [block]: starts in tmp, ends at root
rm -rf /tmp/../
#--- rm-root-deep-parents [block]: many parent steps
rm -rf ../../../../../../../../..
#--- rm-root-glob [block]: all under root
rm -rf /*
#--- rm-root-glob-quoted-slash [block]: quoted slash, bare star
rm -rf "/"*
#--- rm-root-glob-questions [block]: three-letter directories of root
rm -rf /???
#--- rm-root-glob-class [block]: bracket glob at root
rm -rf /[a-z]*
#--- rm-root-braces [block]: brace expansion of system directories
rm -rf /{bin,etc,usr,var}
#--- rm-root-braces-empty [block]: brace with an empty member gives root
rm -rf /{,tmp/x}
#--- rm-root-among-others [block]: root hidden among named directories
rm -rf build dist / node_modules
#--- rm-root-stray-space [block]: a stray space splits the path
rm -rf / usr/lib/app/cache
#--- rm-stray-space-glob [block]: stray space before the star
rm -rf build/ *
#--- rm-etc-whole [block]: the whole of etc
rm -rf /etc
#--- rm-usr-whole [block]: the whole of usr
rm -fr /usr/
#--- rm-var-log-glob [block]: glob below a system directory
rm -rf /var/log/*
#--- rm-boot-glob [block]: kernels
rm -rf /boot/*
#--- rm-lib-whole [block]: shared libraries
rm -r -f /lib /lib64
#--- rm-home-tilde [block]: home by tilde
rm -rf ~
#--- rm-home-tilde-slash [block]: home by tilde and slash
rm -rf ~/
#--- rm-home-tilde-glob [block]: all in the home
rm -rf ~/*
#--- rm-home-tilde-dotglob [block]: hidden files of the home
rm -rf ~/.*
#--- rm-home-variable [block]: home by variable
rm -rf $HOME
#--- rm-home-variable-quoted [block]: home by quoted variable
rm -rf "$HOME"
#--- rm-home-variable-braced [block]: home by braced variable
rm -rf "${HOME}"
#--- rm-home-variable-glob [block]: all in the home by variable
rm -rf "$HOME"/*
#--- rm-home-variable-slash [block]: trailing slash
rm -fr "${HOME}/"
#--- rm-home-other-user [block]: home of a named user
rm -rf ~root
#--- rm-home-absolute [block]: a home by its path
rm -rf /home/alice
#--- rm-home-mac [block]: a home by its path on macOS
rm -rf /Users/alice
#--- rm-homes-all [block]: every home
rm -rf /home/*
#--- rm-home-of-root [block]: home of root by path
rm -rf /root
#--- rm-home-by-parent [block]: parent of the home
rm -rf ~/..
#--- rm-home-eval-tilde [block]: tilde by eval
rm -rf "$(eval echo ~)"
#--- rm-home-getent [block]: home read from the account database
rm -rf "$(getent passwd alice | cut -d: -f6)"
#--- rm-home-oldpwd [block]: previous directory after visiting home
cd ~ && cd - && rm -rf "$OLDPWD"
#--- rm-dot [block]: the working directory
rm -rf .
#--- rm-dot-slash [block]: the working directory with a slash
rm -rf ./
#--- rm-dotdot [block]: the parent directory
rm -rf ..
#--- rm-dotdot-slash-glob [block]: all beside the workspace
rm -rf ../*
#--- rm-star [block]: all in the working directory
rm -rf *
#--- rm-dot-slash-star [block]: all in the working directory, dotted
rm -rf ./*
#--- rm-star-and-hidden [block]: also the hidden files
rm -rf -- * .[!.]* ..?*
#--- rm-dot-star [block]: dot-star, may match the parent
rm -rf .*
#--- rm-brace-star [block]: globs in braces
rm -rf {*,.*}
#--- rm-pwd-variable [block]: working directory by variable
rm -rf "$PWD"
#--- rm-pwd-substitution [block]: working directory by command
rm -rf "$(pwd)"
#--- rm-pwd-backticks-glob [block]: working directory by backticks
rm -rf `pwd`/*
#--- rm-cd-root-then-star [block]: harmless-looking glob after cd
cd / && rm -rf *
#--- rm-cd-home-then-dot [block]: cd without operand goes home
cd && rm -rf ./*
#--- rm-cd-unchecked-variable [block]: cd may fail or go home
cd $BUILD_DIR
rm -rf *
#--- rm-pushd-root [block]: pushd in place of cd
pushd / >/dev/null
rm -rf -- *
popd
#--- rm-cd-up-many [block]: climb first, then remove
cd ../../../..
rm -rf ./*
#--- rm-full-path [block]: rm by its path
/bin/rm -rf /
#--- rm-full-path-usr [block]: rm by its other path
/usr/bin/rm -r -f "$HOME"
#--- rm-odd-path [block]: rm by a path with steps
/usr/../bin/./rm -rf ~
#--- rm-glob-path [block]: rm by a glob path
/bin/r[m] -rf /
#--- rm-question-path [block]: rm by a question-mark path
/???/rm -rf ~
#--- rm-busybox [block]: rm of busybox
busybox rm -rf /
#--- rm-busybox-path [block]: rm of busybox by path
/bin/busybox rm -r -f ~
#--- rm-toybox [block]: rm of toybox
toybox rm -rf "$HOME"
#--- rm-coreutils-multicall [block]: rm of a multi-call binary
coreutils --coreutils-prog=rm -rf /
#--- rm-line-continuation [block]: flags on the next line
rm \
  -r \
  -f \
  /
#--- rm-tabs [block]: tabs in place of spaces
rm	-rf		/
#--- rm-redirect-first [block]: redirection before the command word
2>/dev/null rm -rf ~
#--- rm-redirect-between [block]: redirections between the words
rm >/dev/null -rf 2>&1 /
#--- rm-assignment-prefix [block]: variable prefix before the command
LC_ALL=C rm -rf /
#--- rm-negated [block]: after a bang
! rm -rf "$HOME"
#--- rm-yes-pipe [block]: answers fed by yes
yes | rm -rf /
#--- rm-git-dir-and-all [block]: repository and every file
rm -rf .git *
