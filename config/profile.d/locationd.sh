# Tells an administrator at login how many requests for authorization wait for a decision: whoever may use the control
# socket (root and the members of its group), and who may become root by sudo. It asks systemd alone, a second at most, starts
# nothing, and says nothing while no request waits or locationd does not run.
case $- in
*i*)
    if [ -w /run/locationd/control.sock ] || case " $(id -nG) " in *" sudo "*) true ;; *) false ;; esac then
        # The third part of the status; a service that has ended has kept its last one.
        timeout 1 systemctl show --property=ActiveState,StatusText locationd.service 2>/dev/null | sort | sed -n '
            1 { /^ActiveState=active$/ !q }
            s/^StatusText=[^;]*; [^;]*; \([0-9]* requests\{0,1\} for authorization waits\{0,1\}\).*/locationd: \1; `sudo locctl authorizations` lists what waits/p'
    fi
    ;;
esac
